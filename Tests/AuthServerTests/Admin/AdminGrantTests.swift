import Authentication
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

extension PagesFixture {
    /// The client `shop-1`, a grant that hangs on session 3 of the account and one that came with offline access and is the later one, and a consent.
    func addGrants(of account: Account) async throws {
        let (server, now) = (serverID, clock.now)
        let login = Login(
            account: account.id, binding: .qrDynamic, at: now, methods: .pin, verifiedAt: now, decision: Sample.bytes(7), deadline: now + 315,
            lastPing: now, lastStamp: now)
        try await people.write { rows in
            try rows.save(account)
            try rows.save(
                Session(
                    id: Sample.sessionID(3), server: server, nonceHash: Sample.bytes(3), stream: nil, purpose: .login, startedAt: now,
                    state: .loggedIn(login)))
        }
        let holders: [(UInt8, GrantHolder, Instant)] = [
            (5, .session(Sample.sessionID(3), account.id), now), (6, .device(account.id), now + 1),
        ]
        try await oauthStore.write { rows in
            var shop = OAuthProvider.Application(id: Sample.client, server: server, kind: .native, name: "Shop", authentication: .none)
            shop.backchannelLogoutURI = "https://shop.example/logout"
            try rows.save(shop)
            for (byte, holder, since) in holders {
                try rows.save(
                    Grant(
                        id: Sample.grantID(byte), server: server, client: Sample.client, holder: holder, scopes: Sample.scopes("openid read"),
                        api: Sample.api, authentication: AuthenticationClaims(time: now, acr: "mfa", amr: ["mfa"]), nonce: nil,
                        session: Sample.sessionID(3), createdAt: since))
            }
            try rows.save(
                RefreshFamily(
                    grant: Sample.grantID(6), server: server, client: Sample.client, binding: .none, life: .unlimited, createdAt: now + 1,
                    usedAt: now + 9))
            try rows.save(
                Consent(account: account.id, client: Sample.client, api: Sample.api, scopes: Sample.scopes("read")), of: server)
        }
    }
}

@Suite("REST: what people let clients do")
struct AdminGrantTests {
    private func withGrants(_ body: @Sendable @escaping (AdminClient, Account) async throws -> Void) async throws {
        let premises = try await PagesFixture()
        let alice = try await premises.addAccount()
        try await premises.addGrants(of: alice)
        try await premises.asBackend { (backend) async throws in try await body(backend, alice) }
    }

    @Test("Grants are told by user, account and application, the oldest first, with what they hang on and when they were used")
    func lists() async throws {
        try await withGrants { backend, alice in
            let now = Int(backend.premises.clock.now.seconds)
            for owner in ["users/alice", "accounts/\(alice.id.text)", "applications/shop-1"] {
                let (status, list) = try await backend.json(.get, backend.path("/\(owner)/grants/"))
                #expect(status == 200 && list.number("totalnumber") == 2, "\(owner)")
                let grants = list.objects("grants")
                #expect(grants.map { $0.text("held_by") } == ["session", "device"])
                #expect(grants.map { $0.text("id") } == [Sample.grantID(5).text, Sample.grantID(6).text])
                #expect(grants.map { $0.number("since") } == [now, now + 1] && grants.map { $0.number("last_used") } == [nil, now + 9])
                #expect(grants.allSatisfy { $0.text("client_id") == "shop-1" && $0.text("userid") == "alice" && $0.text("api") == Sample.api.text })
                #expect(grants.allSatisfy { $0.text("accountid") == alice.id.text && $0.texts("scopes") == ["openid", "read"] })
            }
            let part = try await backend.json(.get, backend.path("/users/alice/grants/?limit=1&marker=1")).object
            #expect(part.number("totalnumber") == 2 && part.objects("grants").map { $0.text("held_by") } == ["device"])
            #expect(try await backend.json(.get, backend.path("/users/alice/grants/?clientid=other")).object.number("totalnumber") == 0)
            let one = try await backend.json(.get, backend.path("/grants/\(Sample.grantID(6).text)/")).object
            #expect(one.text("held_by") == "device" && one.number("last_used") == now + 9)
        }
    }

    @Test("One is ended once and is over for every later look; the other goes on, and then all end")
    func ends() async throws {
        try await withGrants { backend, alice in
            let one = backend.path("/grants/\(Sample.grantID(6).text)/")
            #expect(try await backend.send(.delete, one).status == .ok)
            for method in [HTTPRequest.Method.get, .delete] {
                let (status, error) = try await backend.json(method, one)
                #expect(status == 404 && error.text("error") == "grant_unknown")
            }
            let list = try await backend.json(.get, backend.path("/users/alice/grants/")).object
            #expect(list.objects("grants").map { $0.text("held_by") } == ["session"])
            #expect(try await backend.json(.delete, backend.path("/users/alice/grants/?clientid=other")).object.number("ended") == 0)
            #expect(try await backend.json(.delete, backend.path("/accounts/\(alice.id.text)/grants/")).object.number("ended") == 1)
            #expect(try await backend.json(.delete, backend.path("/applications/shop-1/grants/")).object.number("ended") == 0)
            #expect(try await backend.json(.get, backend.path("/users/alice/consents/")).object.number("totalnumber") == 1)
        }
    }

    @Test("A consent that is withdrawn takes the grants along, and is asked for again")
    func withdraws() async throws {
        try await withGrants { backend, _ in
            let consents = try await backend.json(.get, backend.path("/users/alice/consents/?clientid=shop-1")).object
            #expect(consents.number("totalnumber") == 1 && consents.objects("consents").first?.texts("scopes") == ["read"])
            let (status, withdrawn) = try await backend.json(.delete, backend.path("/users/alice/consents/"))
            #expect(status == 200 && withdrawn.number("withdrawn") == 1 && withdrawn.number("ended") == 2)
            #expect(try await backend.json(.get, backend.path("/users/alice/consents/")).object.number("totalnumber") == 0)
            #expect(try await backend.json(.get, backend.path("/users/alice/grants/")).object.number("totalnumber") == 0)
        }
    }

    @Test(
        "Of who or what is not there, nothing is told",
        arguments: [
            ("/users/nobody/grants/", "user_unknown"), ("/users/nobody/consents/", "user_unknown"),
            ("/accounts/AAAAAAAAAAAAAAAAAAAAAA/grants/", "account_unknown"), ("/applications/none/grants/", "application_unknown"),
            ("/grants/x/", "grant_unknown"),
        ])
    func unknown(path: String, word: String) async throws {
        try await withGrants { backend, _ in
            for method in [HTTPRequest.Method.get, .delete] {
                let (status, error) = try await backend.json(method, backend.path(path))
                #expect(status == 404 && error.text("error") == word)
            }
        }
    }
}
