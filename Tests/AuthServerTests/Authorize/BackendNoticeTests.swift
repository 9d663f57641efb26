import Authentication
import Database
import Foundation
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// From the end of a login, and from a person's answer, to a socket of the client's.
@Suite("What the backends of clients are told", .timeLimit(.minutes(10)))
struct BackendNoticeTests {
    enum End: CaseIterable, Sendable { case stop, block, deletion, timeout, logout, page }

    private static let backends = HTTPBackends(logger: LogRecorder().logger(), patience: .seconds(300))

    private func tell(_ fixture: AuthorizeFixture) async throws -> Int {
        try await fixture.oauth.logouts(through: Self.backends).run(at: fixture.clock.now)
    }

    /// A token, verified by the keys that the provider publishes.
    private func claims(_ token: String, _ type: TokenType, _ fixture: AuthorizeFixture) async throws -> OstiaryTokens.JSONObject {
        let keys = try await fixture.tokenKeyring.keys(of: fixture.server)
        return try UnverifiedJWS(compact: token).verified(by: keys.published, as: type).claims
    }

    /// Logs in at a client that listens.
    /// - Returns: the ID token that the client got.
    private func logIn(_ browser: Browser, _ account: Account, telling backend: ListeningBackend) async throws -> String {
        let address = backend.address("/logout?tenant=1")
        try await browser.fixture.change("shop") { $0.backchannelLogoutURI = address }
        let answer = try await browser.logIn(try await browser.authorize(Browser.request()), as: account)
        return try #require(try await browser.fixture.tokens(answer.headers[.location]).idToken)
    }

    private func end(_ end: End, _ browser: Browser, of account: Account, _ hint: String) async throws {
        let fixture = browser.fixture
        let (nonce, now) = (try #require(browser.logins.first), fixture.clock.now)
        switch end {
        case .stop: try await fixture.stop(nonce)
        case .block: _ = try await fixture.domain.accounts.setBlocked(true, account.id, at: fixture.server, by: .operator, now: now)
        case .deletion: try await fixture.domain.accounts.delete(account.id, at: fixture.server, by: .operator, now: now)
        case .timeout: fixture.clock.advance(1_000)
        case .logout: try await fixture.domain.sessions.logOut(nonce, at: fixture.server, by: .page, now: now)
        case .page: #expect(try await browser.get("/logout?id_token_hint=\(hint)").status == .seeOther)
        }
    }

    @Test(
        "Back-channel logout: whatever ends a login, each client of it gets one logout token, which says whose and which, by a key that is published",
        arguments: End.allCases)
    func told(_ way: End) async throws {
        let (fixture, backend) = (try await AuthorizeFixture(), try ListeningBackend())
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let idToken = try await logIn(browser, alice, telling: backend)
            #expect(try await tell(fixture) == 0)
            try await end(way, browser, of: alice, idToken)
            #expect(try await tell(fixture) == 1)
            #expect(try await tell(fixture) == 0)
            let token = try #require(try backend.logoutTokens().first)
            #expect(backend.calls.count == 1)
            let (said, given) = (try await claims(token, .logoutToken, fixture), try await claims(idToken, .idToken, fixture))
            #expect(said["iss"] == .string(AuthorizeFixture.origin) && said["aud"] == .string("shop"))
            #expect(said["sid"] == given["sid"] && said["sid"]?.string?.isEmpty == false)
            #expect(said["sub"] == given["sub"] && said["sub"]?.string?.isEmpty == false)
            let now = Int64(fixture.clock.now.seconds)
            #expect(said["iat"] == .integer(now) && said["exp"] == .integer(now + 120))
            let event = "http://schemas.openid.net/event/backchannel-logout"
            #expect(said["events"]?.object == OstiaryTokens.JSONObject([event: .object(OstiaryTokens.JSONObject())]))
            #expect(said["jti"]?.string?.isEmpty == false && said["nonce"] == nil)
        }
    }

    @Test("A backend that hangs up and one that fails hear it when they are back, by a token of then; who said no is told no more")
    func back() async throws {
        let (fixture, backend) = (try await AuthorizeFixture(), try ListeningBackend([nil, 503, 200, 400]))
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            for heard in [[0, 0, 1, 0], [0, 0, 0, 0]] {
                let idToken = try await logIn(browser, alice, telling: backend)
                try await end(.logout, browser, of: alice, idToken)
                for expected in heard {
                    #expect(try await tell(fixture) == expected)
                    // Before it is due nothing is sent.
                    #expect(try await tell(fixture) == 0)
                    fixture.clock.advance(10)
                }
            }
            let tokens = try backend.logoutTokens()
            #expect(tokens.count == 4 && Set(tokens).count == 4)
            let first = try await claims(tokens[0], .logoutToken, fixture)
            let third = try await claims(tokens[2], .logoutToken, fixture)
            #expect(third["sid"] == first["sid"] && third["jti"] != first["jti"])
            guard case .integer(let before) = first["iat"], case .integer(let after) = third["iat"] else { throw Missing() }
            #expect(after == before + 20)
        }
    }

    private struct Missing: Error {}

    @Test("bcl_then_prompt_none_login_required: of a login that a client was told is over nobody has a code any more", arguments: [End.stop, .page])
    func silentAfterwards(_ way: End) async throws {
        let (fixture, backend) = (try await AuthorizeFixture(), try ListeningBackend())
        let alice = try await fixture.addAccount()
        let silent = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "none"])
        try await fixture.run { (browser) async throws in
            let idToken = try await logIn(browser, alice, telling: backend)
            #expect(Browser.parameter("code", of: try await browser.authorize(silent).headers[.location]) != nil)
            try await end(way, browser, of: alice, idToken)
            #expect(try await tell(fixture) == 1)
            #expect(Browser.parameter("error", of: try await browser.authorize(silent).headers[.location]) == "login_required")
        }
    }

    @Test("CIBA ping: the client hears once by its own token that its person said yes, and before that nothing; what it asks for then is there")
    func ping() async throws {
        let (fixture, backend) = (try await AuthorizeFixture(), try ListeningBackend([503]))
        let alice = try await fixture.addAccount()
        let address = backend.address("/ping")
        try await fixture.change("reports") {
            $0.authentication = .post
            $0.secrets = [ClientSecret(hash: ClientSecret.hash(of: "secret-1"), expiresAt: nil)]
            $0.grantTypes.insert(.backchannel)
            $0.backchannel = .ping(address)
        }
        let pings = fixture.oauth.pings(through: Self.backends)
        try await fixture.run { (browser) async throws in
            let asking = [Parameter("scope", "openid"), Parameter("login_hint", "alice"), Parameter("client_notification_token", "token-1")]
            let begun = try await fixture.oauth.backchannel.begin(try call("/oauth/bc-authorize", asking, fixture), at: fixture.clock.now)
            #expect(try await pings.run(at: fixture.clock.now) == 0 && backend.calls.isEmpty)
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let session = try await fixture.session(try #require(browser.logins.first)).id
            let scopes = try ScopeSet(parsing: "openid")
            let approved = try await fixture.oauth.approval.approve(
                begun.authorization.hash, at: fixture.server, scopes: scopes, session: session, now: fixture.clock.now)
            #expect(approved != nil)
            for expected in [0, 1, 0] {
                #expect(try await pings.run(at: fixture.clock.now) == expected)
                fixture.clock.advance(5)
            }
            #expect(backend.calls.count == 2)
            for heard in backend.calls {
                #expect(heard.line == "POST /ping HTTP/1.1" && heard.fields["authorization"] == "Bearer token-1")
                #expect(heard.fields["content-type"] == "application/json" && heard.body == #"{"auth_req_id":"\#(begun.requestID)"}"#)
            }
            let polling = [
                Parameter("grant_type", "urn:openid:params:grant-type:ciba"), Parameter("auth_req_id", begun.requestID),
            ]
            #expect(try await fixture.oauth.token.answer(try call("/oauth/token", polling, fixture), at: fixture.clock.now).idToken != nil)
        }
    }

    /// A form of the website that is somebody else's.
    private func call(_ path: String, _ parameters: [Parameter], _ fixture: AuthorizeFixture) throws -> TokenCall {
        TokenCall(
            server: fixture.server, method: "POST", contentType: "application/x-www-form-urlencoded",
            parameters: [Parameter("client_id", "reports"), Parameter("client_secret", "secret-1")] + parameters,
            target: try #require(HTTPTarget(AuthorizeFixture.origin + path)))
    }

    @Test("While the second-factor server contradicts a node's clock, it tells no backend that a session is over; when they agree, it does")
    func contradicted() async throws {
        let backend = try ListeningBackend()
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let nonce = try servers.nonce()
            let session = try #require(try await phone.refreshed().logIn(nonce).sessionID)
            let (server, account, now, address) = (servers.server, phone.account, servers.now, backend.address("/logout"))
            try await SQLOAuthStore(database: servers.database, key: .random()).write { rows in
                var shop = OAuthProvider.Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .post)
                shop.secrets = [ClientSecret(hash: ClientSecret.hash(of: "secret-1"), expiresAt: nil)]
                shop.backchannelLogoutURI = address
                try rows.save(shop)
                try rows.save(
                    Grant(
                        id: Sample.grantID(5), server: server, client: Sample.client, holder: .device(account), scopes: Sample.scopes("openid"),
                        api: nil, authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]), nonce: nil, session: session,
                        createdAt: now))
            }
            servers.clock.jump(3_600)
            servers.skew.value = -3_600
            for isSilent in [false, true, false] {
                servers.secondFactor.isDown = isSilent
                await servers.runBackground()
                servers.clock.advance(5)
            }
            servers.clock.jump(-3_600)
            servers.skew.value = 0
            await servers.runBackground()
            #expect(backend.calls.isEmpty)
            #expect(try await servers.status(of: nonce).loggedIn)
            servers.clock.advance(1_000)
            // Once would do, on a machine that is not busy.
            for _ in 0..<5 {
                await servers.runBackground()
                servers.clock.advance(5)
            }
            #expect(Set(backend.calls.map(\.line)) == ["POST /logout HTTP/1.1"])
        }
    }

    @Test("A node with the lease tells backends beside its answers, and one without it leaves that to the other")
    func node() async throws {
        let backend = try ListeningBackend()
        // A file that two nodes may have: elsewhere every node has the lease.
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("nodes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase.open(path: folder.appendingPathComponent("as.sqlite").path, ownership: .shared)
        try await ServersFixture.run(database: database) { servers in
            let (server, now) = (servers.server, servers.now)
            let rows = SQLOAuthStore(database: servers.database, key: .random())
            let (logout, ping) = (backend.address("/logout?tenant=1"), backend.address("/ping"))
            try await rows.write { rows in
                var shop = OAuthProvider.Application(id: Sample.client, server: server, kind: .web, name: "Shop", authentication: .post)
                shop.secrets = [ClientSecret(hash: ClientSecret.hash(of: "secret-1"), expiresAt: nil)]
                shop.grantTypes = [.backchannel]
                shop.backchannel = .ping(ping)
                shop.backchannelLogoutURI = logout
                try rows.save(shop)
            }
            let account = Account(
                id: Sample.accountID(1), server: server, userID: "alice", displayName: "Alice", device: "Pixel 9", app: "Test 1.0",
                deviceKey: Sample.bytes(1, 65), instance: Sample.instanceID, createdAt: now, otpReference: 1, otpKey: StoredSecret(Sample.bytes(1)),
                state: .active)
            try await SQLAuthenticationStore(database: servers.database, key: .random()).write { rows in try rows.save(account) }
            // The lease is this node's from now on.
            await servers.runBackground()
            let call = TokenCall(
                server: server, method: "POST", contentType: "application/x-www-form-urlencoded",
                parameters: [
                    Parameter("client_id", Sample.client.text), Parameter("client_secret", "secret-1"), Parameter("scope", "openid"),
                    Parameter("login_hint", "alice"), Parameter("client_notification_token", "token-1"),
                ], target: try #require(HTTPTarget("\(ServersFixture.origin)/oauth/bc-authorize")))
            let provider = servers.service.provider
            let begun = try await provider.backchannel.begin(call, at: now)
            #expect(try await provider.approval.deny(begun.authorization.hash, at: server, account: account.id, now: now) != nil)
            // Held by the device, of a session that is gone.
            try await rows.write { rows in
                try rows.save(
                    Grant(
                        id: Sample.grantID(5), server: server, client: Sample.client, holder: .device(account.id),
                        scopes: Sample.scopes("openid offline_access"), api: nil,
                        authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]), nonce: nil, session: Sample.sessionID(3),
                        createdAt: now))
            }
            await (try await servers.start()).runBackground()
            #expect(backend.calls.isEmpty)
            // Once would do, on a machine that is not busy.
            for _ in 0..<5 {
                await servers.runBackground()
                servers.clock.advance(5)
            }
            #expect(Set(backend.calls.map(\.line)) == ["POST /logout?tenant=1 HTTP/1.1", "POST /ping HTTP/1.1"])
        }
    }
}
