import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// The second-factor server is put back to before its keys changed, and phones hold a bundle of after that: what they seal to is lost there.
@Suite("The whole database of the second-factor server, put back to before its keys changed", .onBothEngines)
struct RestoredKeysTests {
    private struct Change: Sendable {
        let user: String
        let begin: @Sendable (Ostiary) -> Void
        let inputs: [FixturePhone.Input]
    }

    private static let changes = [
        Change(user: "alice", begin: { $0.changePIN() }, inputs: [.pin(Person.pin), .pin("602851")]),
        Change(user: "bob", begin: { $0.addBiometrics() }, inputs: [.biometric(.confirm), .pin(Person.pin)]),
        Change(user: "carol", begin: { $0.removeBiometrics() }, inputs: [.pin(Person.pin)]),
    ]

    @Test("A13: the PIN is changed, and biometrics are added and removed, at the first try, and no try is spent")
    func changesGoThrough() async throws {
        let site = try ServersSite()
        try await site.open { world in
            for change in Self.changes { try await world.enrol(try world.phone(change.user), user: change.user) }
            world.clock.advance(61)
            let carol = try world.phone("carol", biometrics: SimulatedBiometrics())
            _ = try await carol.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            try await site.backUp(.secondFactor)
            // Longer than a key to seal to is published.
            world.clock.advance(90_000)
            for change in Self.changes {
                let login = try await world.phone(change.user).logIn(world.backend.loginCode(world.backend.newNonce()), by: [.pin(Person.pin)])
                #expect(login.end.session != nil, "\(login)")
            }
        }
        try await site.putBack(.secondFactor)
        site.clock.advance(10)
        try await site.open { world in
            for change in Self.changes {
                let phone = try world.phone(change.user, biometrics: SimulatedBiometrics())
                let told = try await phone.manage(change.begin, change.inputs)
                #expect(told.last?.result == .success && told.allSatisfy { $0.result != .error && $0.failedAttempts == 0 }, "\(change.user): \(told)")
            }
            #expect(try await world.counted().failed == 0)
        }
    }
}
