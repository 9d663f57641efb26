import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Two people with accounts at servers whose second-factor server was taken over since.
struct TakenOverHouse: Sendable {
    let servers: ServersFixture
    let liar: TakenOverSecondFactor
    let alice: EnrolledPhone
    let bob: EnrolledPhone

    static func run(_ body: @Sendable @escaping (TakenOverHouse) async throws -> Void) async throws {
        let key = KeyEncryptionKey.random()
        try await ServersFixture.run(secondFactorKey: key) { servers in
            let alice = try await TestPhone(servers).enrol(try servers.nonce())
            let bob = try await TestPhone(servers, device: "Fairphone 5").enrol(try servers.nonce(), userID: "bob", name: "Bob at work")
            try await body(TakenOverHouse(servers: servers, liar: try await servers.takeOver(with: key), alice: alice, bob: bob))
        }
    }

    /// A login on somebody's screen, with the nonce of its browser.
    func shown(_ phone: EnrolledPhone) async throws -> (nonce: SessionNonce, login: ShownLogin) {
        let nonce = try servers.nonce()
        let login = try await phone.scan(try await servers.link(nonce))
        return (nonce, login)
    }

    /// What a try is answered, whatever stands in it. That it has an answer at all says that nothing has failed at the authentication server.
    func told(_ attempt: TestAttempt, by phone: EnrolledPhone) async throws -> Answer {
        try await phone.phone.send(try phone.phone.m1(attempt).message.bytes, attempt.ephemeral)
    }

    /// The decision of who knows the PIN, for a try.
    func decision(_ attempt: TestAttempt, of login: ShownLogin) throws -> Encoded<L5> {
        try login.decision(attempt: attempt.id, method: .pin, proof: try login.owner.phone.prove(attempt))
    }

    func isLoggedIn(_ nonce: SessionNonce) async throws -> Bool { try await servers.status(of: nonce).loggedIn }

    /// That somebody logs in.
    @discardableResult
    func expectLogin(of phone: EnrolledPhone, _ name: String) async throws -> SessionNonce {
        let (nonce, login) = try await shown(phone)
        #expect(try await login.logInByPIN().result == .loggedIn, "\(name)")
        #expect(try await isLoggedIn(nonce), "\(name)")
        return nonce
    }

    /// What the audit trail says happened, the newest first.
    func trail() async throws -> [AuditEntry.Kind] {
        let server = servers.server
        let store = SQLAuthenticationStore(database: servers.database, key: .random())
        return try await store.read { rows in try rows.auditEntries(of: server, limit: 32).map(\.kind) }
    }
}
