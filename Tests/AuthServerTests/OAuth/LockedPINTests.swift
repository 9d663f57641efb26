import AuthServer
import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// The second factor's own lock, at a second-factor server that counts for real, and what clients were given before.
@Suite("What clients have while a PIN is locked, and after it was reset", .timeLimit(.minutes(10)))
struct LockedPINTests {
    /// Alice's phone, a client, what hangs on her login, and what came with offline access.
    private struct Scene: Sendable {
        let servers: ServersFixture
        let phone: EnrolledPhone
        let client: AskingClient
        let session: SessionID
        let access: String
        let refresh: String

        static func run(_ body: @Sendable @escaping (Scene) async throws -> Void) async throws {
            try await ServersFixture.run { servers in
                let phone = try await TestPhone(servers).enrol(try servers.nonce())
                let client = try await AskingClient(at: servers)
                let lasting = try await client.ask("openid offline_access")
                try await phone.showWaiting().logIn(number: lasting.number)
                let refresh = try #require(try await client.poll(lasting).json["refresh_token"]?.string)
                let online = try await client.ask()
                let session = try #require(try await phone.showWaiting().logIn(number: online.number).sessionID)
                let access = try #require(try await client.poll(online).json["access_token"]?.string)
                try await body(Scene(servers: servers, phone: phone, client: client, session: session, access: access, refresh: refresh))
            }
        }

        /// A try that is counted and comes to nothing, as one with a wrong PIN does.
        func guess() async throws -> Status {
            let shown = try await phone.scan(try await servers.link(try servers.nonce()))
            return try await phone.phone.evaluate(try shown.attempt()).status
        }

        /// Uses up all tries, and waits for what each but the last costs. Her phone goes on answering for her login meanwhile.
        func lock() async throws {
            for _ in 0..<5 {
                #expect(try await guess() == .ok)
                servers.clock.advance(300)
                #expect(try await phone.ping(session).state == .loggedIn)
            }
            #expect(try await guess() == .blocked)
        }

        /// The refresh token gives an access token that is good.
        func refreshes() async throws -> Bool {
            guard let token = try await client.refresh(refresh).json["access_token"]?.string else { return false }
            return try await client.isActive(token)
        }

        func reset() async throws {
            try await servers.services.accounts.resetSecondFactor(of: phone.account, at: servers.server, by: .backend, now: servers.now)
        }
    }

    @Test("rt_after_pin_locked: the wait and the block after wrong PINs keep people from logging in anew, and end nothing that was given")
    func locked() async throws {
        try await Scene.run { (scene: Scene) async throws in
            for _ in 0..<3 { #expect(try await scene.guess() == .ok) }
            #expect(try await scene.guess() == .penalised)
            #expect(try await scene.client.isActive(scene.access))
            #expect(try await scene.refreshes())
        }
        try await Scene.run { (scene: Scene) async throws in
            try await scene.lock()
            #expect(try await scene.refreshes())
            #expect(try await scene.phone.ping(scene.session).state == .loggedIn)
        }
    }

    @Test("rt_after_password-less reset: a reset of the second factor gives tries back, and neither ends nor brings back what was given")
    func reset() async throws {
        try await Scene.run { (scene: Scene) async throws in
            try await scene.lock()
            try await scene.reset()
            #expect(try await scene.refreshes())
            #expect(try await scene.phone.ping(scene.session).state == .loggedIn)
            try await scene.phone.logIn(try scene.servers.nonce())
            #expect(try await scene.refreshes())
        }
    }

    @Test("Whoever thinks that somebody else has the phone blocks the account: what was given is over then, and a reset does not bring it back")
    func accountBlocked() async throws {
        try await Scene.run { (scene: Scene) async throws in
            try await scene.lock()
            let (accounts, account) = (scene.servers.services.accounts, scene.phone.account)
            for isBlocked in [true, false] {
                _ = try await accounts.setBlocked(isBlocked, account, at: scene.servers.server, by: .backend, now: scene.servers.now)
                #expect(try await scene.client.refresh(scene.refresh).error == "invalid_grant")
            }
            try await scene.reset()
            try await scene.phone.logIn(try scene.servers.nonce())
            #expect(try await scene.client.refresh(scene.refresh).error == "invalid_grant")
        }
    }
}
