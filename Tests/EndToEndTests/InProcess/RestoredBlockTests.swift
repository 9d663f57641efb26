import Foundation
import HTTPTypes
import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// A person used up all tries, and one of the servers is stopped and its database put back to before that, in each way in which it can be copied. What was
/// lived before is the same for each, and each begins with a copy of it.
@Suite("A block, and whole databases put back to before it")
struct RestoredBlockTests {
    private static let wrong = Person.wrongPINs + ["493027"]

    private static func attempt(_ phone: FixturePhone, _ pins: [String], in world: ServersFixture) async throws -> (
        end: FixturePhone.End, answers: [SecondFactorInfo]
    ) {
        let login = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: pins.map { .pin($0) })
        return (login.end, login.asked)
    }

    /// Enrols, tries wrong PINs until the block, and copies both databases on the way, in each way that there is on this engine.
    /// - Parameter before: wrong tries before the copies are made.
    private static func block(_ site: ServersSite, copyingAfter before: Int) async throws {
        try await site.open { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            // A right PIN before, so that there is a receipt.
            #expect(try await attempt(phone, [Person.pin], in: world).end.session != nil)
            if before > 0 { _ = try await attempt(phone, Array(wrong.prefix(before)), in: world) }
            // The file alone comes last: for it the log is folded in.
            for copy in copies {
                for server in ServersSite.Server.allCases { try await site.backUp(server, as: copy, named: copy.rawValue) }
            }
            let last = try await attempt(phone, Array(wrong.dropFirst(before)) + [Person.pin], in: world)
            #expect(last.end == .failed(.secondFactorBlocked) && last.answers.last?.blocked == true, "\(last)")
            #expect(try await world.counted().failed == 5)
        }
    }

    private static var copies: [ServersSite.Copy] { ServersSite.Copy.possible.filter { $0.engine == DatabaseEngine.current } }

    @Test(
        "A14: put back to before the block, nobody gets a try more, the phone says that five of five were used, and a lifted block lets the right PIN in",
        .onBothEngines, arguments: [0, 3])
    func putBack(after tries: Int) async throws {
        let blocked = try ServersSite(penalties: [0, 0, 0, 0])
        try await Self.block(blocked, copyingAfter: tries)
        for copy in Self.copies {
            for server in ServersSite.Server.allCases {
                try await look(at: "\(server), \(copy)") {
                    let site = try await blocked.copied(puttingBack: server, named: copy.rawValue)
                    site.clock.advance(60)
                    try await site.open { try await Self.expectBlock(in: $0) }
                }
            }
        }
    }

    private static func expectBlock(in world: ServersFixture) async throws {
        let phone = try world.phone()
        let evaluated = try await world.counted().evaluations
        for pin in [Person.pin, wrong[0], Person.pin] {
            let told = try await attempt(phone, [pin], in: world)
            #expect(told.end == .failed(.secondFactorBlocked), "\(told)")
            let answer = try #require(told.answers.last)
            #expect(answer.blocked && answer.failedAttempts == 5 && answer.maxAttempts == 5, "\(answer)")
        }
        #expect(try await world.counted().evaluations == evaluated)
        try await world.liftBlock()
        #expect(try await attempt(phone, [Person.pin], in: world).end.session != nil)
        #expect(try await world.counted().failed == 0)
    }

    @Test("A14: put back to before the last two of five tries, the server that forgot them grants none of them again", .onBothEngines)
    func fourth() async throws {
        let lived = try ServersSite(penalties: [0, 0, 0, 0])
        try await lived.open { world in
            let phone = try world.phone()
            try await world.enrol(phone)
            world.clock.advance(61)
            _ = try await Self.attempt(phone, Array(Self.wrong.prefix(2)), in: world)
            for server in ServersSite.Server.allCases { try await lived.backUp(server) }
            _ = try await Self.attempt(phone, Array(Self.wrong[2..<4]), in: world)
        }
        for server in ServersSite.Server.allCases {
            try await look(at: "\(server)") {
                let site = try await lived.copied(puttingBack: server)
                site.clock.advance(60)
                try await site.open { world in
                    let phone = try world.phone()
                    let told = try await Self.attempt(phone, [Self.wrong[4], Person.pin], in: world)
                    #expect(told.answers.map(\.failedAttempts).last == 5, "\(told)")
                    #expect(told.end == .failed(.secondFactorBlocked), "\(told)")
                }
            }
        }
    }

    @Test(
        "After a restore to before biometrics were added the phone says that the feature is not taken, the PIN logs in, and adding it again works",
        .onBothEngines)
    func biometrics() async throws {
        let lived = try ServersSite()
        try await lived.open { world in
            let phone = try world.phone(biometrics: SimulatedBiometrics())
            try await world.enrol(phone)
            world.clock.advance(61)
            for server in ServersSite.Server.allCases { try await lived.backUp(server) }
            let told = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
            #expect(told.last?.result == .success)
        }
        for server in ServersSite.Server.allCases {
            try await look(at: "\(server)") {
                let site = try await lived.copied(puttingBack: server)
                site.clock.advance(700)
                try await site.open { try await Self.addAgain(in: $0) }
            }
        }
    }

    private static func addAgain(in world: ServersFixture) async throws {
        let phone = try world.phone(biometrics: SimulatedBiometrics())
        let errors = EventLog(phone.ostiary)
        let code = try await world.backend.loginCode(world.backend.newNonce())
        let login = try await phone.logIn(code, by: [.biometric(.confirm), .pin(Person.pin)])
        #expect(login.end.session != nil, "\(login)")
        let told = await errors.next(within: .aHang) { event in if case .error(let error, _) = event { error } else { nil } }
        #expect(told == .biometricsRefused && OstiaryError.biometricsRefused.advice == .askUser)
        let added = try await phone.manage({ $0.addBiometrics() }, [.biometric(.confirm), .pin(Person.pin)])
        #expect(added.last?.result == .success, "\(added)")
        let again = try await phone.logIn(world.backend.loginCode(world.backend.newNonce()), by: [.biometric(.confirm)])
        #expect(again.end.session != nil, "\(again)")
    }
}

extension ServersFixture {
    /// What an operator of the authentication server does for a person who is blocked.
    fileprivate func liftBlock() async throws {
        let accounts = try await backend.call(.get, "users/alice/accounts")
        let list = try JSONLine(String(decoding: accounts.body, as: UTF8.self))
        let account = try #require(list["accounts"]?.array?.first?["id"]?.string, "\(list)")
        try #require(try await backend.call(.post, "accounts/\(account)/secondfactor/reset").status == 200)
    }
}
