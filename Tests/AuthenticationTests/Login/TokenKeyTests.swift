import Authentication
import OstiaryTesting
import Testing

@testable import OstiaryProtocol

@Suite("The key that an AppLogin names for tokens")
struct TokenKeyTests {
    private static let key = TokenKey(thumbprint: [UInt8](repeating: 0x4B, count: 32))!
    private static let otherKey = TokenKey(thumbprint: [UInt8](repeating: 0x4C, count: 32))!

    /// L5 by PIN that names a key.
    private func accepting(_ shown: Shown, by phone: TestPhone, naming key: TokenKey?) async throws -> Outgoing {
        try phone.accepting(shown, try await phone.tryPIN(shown), naming: key)
    }

    private func kept(_ session: SessionID, in world: DomainFixture) async throws -> TokenKey? {
        try await world.store.read { rows in try rows.session(session)?.approval?.tokenKey }
    }

    @Test("S0-18 it is kept with the session, for as long as that goes on, and a login that names none has none")
    func kept() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        _ = try await phone.decide(try await accepting(shown, by: phone, naming: Self.key))
        world.pass(100)
        _ = try await phone.ping(shown.content.sessionID)
        #expect(try await kept(shown.content.sessionID, in: world) == Self.key)
        let next = try await phone.startAppLogin()
        _ = try await phone.decide(try await accepting(next, by: phone, naming: nil))
        #expect(try await kept(next.content.sessionID, in: world) == nil, "nothing is left of the login before")
    }

    @Test("A login by what the server remembers names it as one by PIN does")
    func cached() async throws {
        let world = try await DomainFixture { $0.pinTimeout = 10 }
        let phone = try await world.enrolledPhone()
        let cache = try present(try await phone.logIn().cache)
        let shown = try await phone.startAppLogin()
        _ = try await phone.decide(try phone.deciding(shown, .init(method: .cached, cache: cache, tokenKey: Self.key)))
        #expect(try await kept(shown.content.sessionID, in: world) == Self.key)
    }

    @Test("The same decision again gets a new webNonce and has the same key")
    func again() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let decision = try await accepting(shown, by: phone, naming: Self.key)
        let first = try await phone.decide(decision).webNonce
        #expect(try await phone.decide(decision).webNonce != first)
        #expect(try await kept(shown.content.sessionID, in: world) == Self.key)
    }

    @Test("The attack with another key: nobody changes that of a login, not even its own phone", arguments: [nil, Self.key])
    func changed(_ named: TokenKey?) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let tried = try await phone.tryPIN(shown)
        _ = try await phone.decide(try phone.accepting(shown, tried, naming: named))
        let after = try await world.snapshot()
        #expect(try await world.refusal(of: try phone.accepting(shown, tried, naming: Self.otherKey)) == .differentDecision)
        #expect(try await world.snapshot() == after)
    }

    @Test("The attack on the way: a key that was exchanged for another is not what the device signed, and nobody is logged in")
    func signed() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        var decision = try await accepting(shown, by: phone, naming: Self.key)
        let after = try await world.snapshot()
        let place = try present(decision.bytes.firstRange(of: Self.key.thumbprint))
        decision.bytes.replaceSubrange(place, with: Self.otherKey.thumbprint)
        #expect(try await world.refusal(of: decision) == .badSignature)
        #expect(try await world.snapshot() == after)
    }

    @Test("A key in the login of a browser means nothing there, and hinders nothing")
    func browser() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        #expect(try await phone.decide(try await accepting(shown, by: phone, naming: Self.key)).result == .loggedIn)
        #expect(try await kept(shown.content.sessionID, in: world) == nil)
    }

    @Test("What is no thumbprint is refused and claims nothing, and the same login goes on with one", arguments: [0, 31, 33])
    func malformed(_ count: Int) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let shown = try await phone.startAppLogin()
        let before = try await world.snapshot()
        let item = Extensions.Item(type: Extensions.tokenKeyType, value: [UInt8](repeating: 1, count: count))
        for decision in [Decision.accept, .decline] {
            let message = try phone.raw.sign(
                L5(
                    sessionID: shown.content.sessionID, sessionHash: shown.hash(for: account), accountID: account,
                    attemptID: AttemptID(using: world.random), decision: decision, method: [], extensions: Extensions(items: [item]),
                    offer: shown.content.offer))
            let outgoing = Outgoing(bytes: message.bytes, ephemeral: shown.ephemeral, sentAt: world.now)
            #expect(try await world.refusal(of: outgoing) == .malformed(.badLength))
            #expect(try await world.snapshot() == before)
        }
        #expect(try await phone.decide(try await accepting(shown, by: phone, naming: Self.key)).result == .loggedIn)
    }
}
