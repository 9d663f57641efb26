import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A change of the PIN against both real servers.
@Suite("Changing the PIN, end to end", .onBothEngines)
struct PINChangeJourneyTests {
    private static let newPIN = "602851"

    private func world(_ body: @Sendable @escaping (ServersFixture, FixturePhone) async throws -> Void) async throws {
        try await ServersFixture.run(penalties: [0, 0, 0, 0]) { world in
            let phone = try world.phone(biometrics: SimulatedBiometrics())
            try await world.enrol(phone)
            world.clock.advance(61)
            try await body(world, phone)
        }
    }

    /// Whether a PIN logs in, at its first try.
    private func works(_ pin: String, _ world: ServersFixture, _ phone: FixturePhone) async throws -> Bool {
        let nonce = world.backend.newNonce()
        let result = try await phone.logIn(world.backend.loginCode(nonce), by: [.pin(pin)])
        return result.end.session != nil
    }

    @Test("S4-43 S4-44 the PIN so far and a new one: afterwards the new one logs in and the old one is a wrong PIN; once more the other way round")
    func byPIN() async throws {
        try await world { world, phone in
            let told = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(Self.newPIN)])
            #expect(told.map(\.context) == [.pinChangeVerify, .pinChangeVerify, .pinChangeSet, .pinChangeSet])
            #expect(told.map(\.result) == [nil, .success, nil, .success])
            #expect(try await !works(Person.pin, world, phone))
            #expect(try await works(Self.newPIN, world, phone))
            _ = try await phone.manage({ $0.changePIN() }, [.pin(Self.newPIN), .pin(Person.pin)])
            #expect(try await works(Person.pin, world, phone))
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test("S4-43 a feature vouches for a new PIN, and both log in afterwards")
    func byBiometric() async throws {
        try await world { world, phone in
            _ = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            let told = try await phone.manage({ $0.changePIN() }, [.biometric(.confirm), .pin(Self.newPIN)])
            #expect(told.last?.result == .success)
            #expect(try await works(Self.newPIN, world, phone))
            let byFeature = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.biometric(.confirm)])
            #expect(byFeature.end.session != nil)
        }
    }

    @Test("A23: the person's other phone tells that a feature alone set a new PIN, before its login and once; the PIN alone is no news")
    func otherPhone() async throws {
        try await ServersFixture.run(penalties: [0, 0, 0, 0]) { world in
            let other = try world.phone("other")
            try await world.enrol(other)
            world.clock.advance(61)
            let phone = try world.phone(biometrics: SimulatedBiometrics())
            try await world.enrol(phone)
            world.clock.advance(61)
            _ = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            _ = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(Self.newPIN)])
            #expect(try await Self.news(to: other, in: world).isEmpty)
            let changed = try await phone.manage({ $0.changePIN() }, [.biometric(.confirm), .pin("941738")])
            #expect(changed.last?.result == .success)
            let replacedAt = world.clock.wall
            world.clock.advance(5)
            let told = try await Self.news(to: other, in: world)
            #expect(told.count == 1 && told.first?.replacedAt == replacedAt)
            #expect(try await Self.news(to: other, in: world).isEmpty)
            #expect(try await Self.news(to: phone, in: world, pin: "941738").isEmpty, "whoever did it is not told")
        }
    }

    /// What a login of a browser with this phone tells of PINs that were set elsewhere, until somebody is logged in.
    private static func news(to phone: FixturePhone, in world: ServersFixture, pin: String = Person.pin) async throws -> [ReplacedPIN] {
        var told: [ReplacedPIN] = []
        phone.ostiary.start(with: try await world.backend.loginCode(world.backend.newNonce()))
        while true {
            switch try await phone.until({ $0 }) {
            case .confirmLogin(let session, let accounts): phone.ostiary.setAccount(accounts.first, for: session)
            case .secondFactorStarted: phone.enter(pin)
            case .pinReplacedByBiometric(let pin, _): told.append(pin)
            case .sessionLogin: return told
            default: break
            }
        }
    }

    @Test("S4-33 PIN and feature together vouch like the PIN")
    func byBoth() async throws {
        try await world { world, phone in
            _ = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            let told = try await phone.manage({ $0.changePIN() }, [.both(Person.pin), .pin(Self.newPIN)])
            #expect(told.last?.result == .success)
            #expect(try await works(Self.newPIN, world, phone))
        }
    }

    @Test("A feature finds the epoch of a change that was never acknowledged")
    func biometricInDoubt() async throws {
        try await world { world, phone in
            _ = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            await world.line.cut(at: 3, arrives: true)
            let told = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(Self.newPIN)])
            #expect(told.last?.result == .error)
            await world.line.mend()
            let next = try world.phone(biometrics: SimulatedBiometrics())
            let byFeature = try await next.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.biometric(.confirm)])
            #expect(byFeature.end.session != nil, "\(byFeature)")
            #expect(try await works(Self.newPIN, world, next))
        }
    }

    @Test(
        "Whichever message of the change or its answer is lost once, the change succeeds", arguments: 0..<4, [Line.Fault.requestLost, .answerLost])
    func lost(_ number: Int, _ fault: Line.Fault) async throws {
        try await world { world, phone in
            await world.line.lose(fault, at: number)
            let told = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(Self.newPIN)])
            #expect(told.last?.result == .success)
            #expect(try await works(Self.newPIN, world, phone))
            #expect(try await world.counted().failed == 0)
        }
    }

    @Test(
        "If the phone dies at whichever message of the change, exactly one PIN works on the same home, and finding out which costs nothing",
        arguments: 0..<4, [true, false])
    func dies(_ number: Int, _ arrives: Bool) async throws {
        try await world { world, phone in
            await world.line.cut(at: number, arrives: arrives)
            _ = try await phone.manage({ $0.changePIN() }, [.pin(Person.pin), .pin(Self.newPIN)])
            await world.line.mend()
            world.clock.advance(11)
            let next = try world.phone()
            let isChanged = number == 3 && arrives
            #expect(try await works(isChanged ? Self.newPIN : Person.pin, world, next))
            #expect(try await world.counted().failed == 0)
            #expect(try await !works(isChanged ? Person.pin : Self.newPIN, world, next))
            // And the next change goes through.
            let told = try await next.manage({ $0.changePIN() }, [.pin(isChanged ? Self.newPIN : Person.pin), .pin("941738")])
            #expect(told.last?.result == .success)
            #expect(try await works("941738", world, next))
        }
    }
}
