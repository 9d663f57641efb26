import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Tokens of an AppLogin, from the phone's login to the exchange", .againWithLostCommits)
struct AppTokenTests {
    private static let address = "https://login.example/oauth/token"

    private let key: LocalSigner
    private var named: TokenKey? { TokenKey(thumbprint: key.key.thumbprint.bytes) }

    init() throws { key = try LocalSigner(.es256, stored: Sample.bytes(51)) }

    /// A phone with an account, and the provider over the same database, with one app that may exchange.
    private func run(_ body: @Sendable @escaping (EnrolledPhone, OAuthServices) async throws -> Void) async throws {
        try await ServersFixture.run { servers in
            let store = SQLOAuthStore(database: servers.commits, key: .random())
            let people = SQLAuthenticationStore(database: servers.commits, key: .random())
            let provider = try ProviderAtWork(ProviderStoreFixture(store: store, people: .database(people)))
            try await store.write { rows in
                var api = ProtectedAPI(identifier: Sample.api, server: servers.server, name: "Things")
                api.scopes = [APIScope(Scope("read")!, words: "read what you have")]
                try rows.save(api)
                var app = Application(id: Sample.client, server: servers.server, kind: .native, name: "App", authentication: .none)
                app.apis = [Sample.api: Sample.scopes("read")]
                app.grantTypes = [.tokenExchange]
                try rows.save(app)
            }
            try await body(try await TestPhone(servers).enrol(try servers.nonce()), provider.services)
        }
    }

    private func exchange(_ webNonce: String?, by signer: LocalSigner, at servers: ServersFixture) throws -> TokenCall {
        var jwk = signer.key.json
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        let claims = OstiaryTokens.JSONObject([
            "jti": .string(Base64URL.encode(SystemRandomSource().bytes(12))), "htm": .string("POST"), "htu": .string(Self.address),
            "iat": .integer(Int64(servers.now.seconds)),
        ])
        let header = OstiaryTokens.JSONObject(["typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": .object(jwk)])
        let proof = try signer.sign(claims, header: header)
        return TokenCall(
            server: servers.server, method: "POST", contentType: "application/x-www-form-urlencoded",
            parameters: [
                Parameter("grant_type", GrantType.tokenExchange.rawValue), Parameter("client_id", Sample.client.text),
                Parameter("subject_token", try #require(webNonce)), Parameter("subject_token_type", ExchangeGrant.webNonceType),
                Parameter("audience", Sample.api.text), Parameter("scope", "read"),
            ], proofs: [proof], target: try #require(HTTPTarget(Self.address)))
    }

    @Test("S0-18 the key that the phone named at its login gets a token for the webNonce, and another key does not")
    func exchanged() async throws {
        try await run { phone, services in
            let servers = phone.servers
            let login = try await phone.logInApp(naming: named)
            let thief = try LocalSigner(.es256, stored: Sample.bytes(52))
            await #expect(throws: TokenRefusal.subjectTokenUnknown) {
                try await services.token.answer(try exchange(login.webNonce, by: thief, at: servers), at: servers.now)
            }
            let response = try await services.token.answer(try exchange(login.webNonce, by: key, at: servers), at: servers.now)
            #expect(response.type == .dpop && response.scopes == Sample.scopes("read"))
        }
    }

    @Test("An older phone names no key: its webNonce says who it is, and gives no token")
    func unnamed() async throws {
        try await run { phone, services in
            let servers = phone.servers
            let login = try await phone.logInApp()
            await #expect(throws: TokenRefusal.subjectTokenUnknown) {
                try await services.token.answer(try exchange(login.webNonce, by: key, at: servers), at: servers.now)
            }
            #expect(try await servers.status(of: try SessionNonce(try #require(login.webNonce))).loggedIn)
        }
    }

    @Test("S0-22 after the stop the webNonce gives no token, whoever has the key")
    func stopped() async throws {
        try await run { phone, services in
            let servers = phone.servers
            let login = try await phone.logInApp(naming: named)
            try await phone.stop(try #require(login.sessionID))
            await #expect(throws: TokenRefusal.subjectTokenUnknown) {
                try await services.token.answer(try exchange(login.webNonce, by: key, at: servers), at: servers.now)
            }
        }
    }
}
