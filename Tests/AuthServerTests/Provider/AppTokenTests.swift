import Authentication
import Database
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Tokens of an AppLogin over the whole server, from the phone's login to the exchange", .againWithLostCommits)
struct AppTokenTests {
    private static let endpoint = "/oauth/token"

    private let key: LocalSigner
    private var named: TokenKey? { TokenKey(thumbprint: key.key.thumbprint.bytes) }

    init() throws { key = try LocalSigner(.es256, stored: Sample.bytes(51)) }

    /// A phone with an account, at a server with one API and one app that may exchange.
    private func run(_ body: @Sendable @escaping (EnrolledPhone) async throws -> Void) async throws {
        try await ServersFixture.run { servers in
            var api = ProtectedAPI(identifier: Sample.api, server: servers.server, name: "Things")
            api.scopes = [APIScope(Scope("read")!, words: "read what you have")]
            var app = OAuthProvider.Application(id: Sample.client, server: servers.server, kind: .native, name: "App", authentication: .none)
            app.isFirstParty = true
            app.apis = [Sample.api: Sample.scopes("read")]
            app.grantTypes = [.tokenExchange]
            try await SQLOAuthStore(database: servers.database, key: .random()).write { [api, app] rows in
                try rows.save(api)
                try rows.save(app)
            }
            try await body(try await TestPhone(servers).enrol(try servers.nonce()))
        }
    }

    private func exchange(_ webNonce: String?, by signer: LocalSigner, at servers: ServersFixture) async throws -> OAuthClient.Answer {
        var jwk = signer.key.json
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        let claims = OstiaryTokens.JSONObject([
            "jti": .string(Base64URL.encode(SystemRandomSource().bytes(12))), "htm": .string("POST"),
            "htu": .string(ServersFixture.origin + Self.endpoint), "iat": .integer(Int64(servers.now.seconds)),
        ])
        let header = OstiaryTokens.JSONObject(["typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": .object(jwk)])
        let form: OAuthClient.Form = [
            "grant_type": GrantType.tokenExchange.rawValue, "client_id": Sample.client.text, "subject_token": webNonce,
            "subject_token_type": ExchangeGrant.webNonceType, "audience": Sample.api.text, "scope": "read",
        ]
        var headers: HTTPFields = [.contentType: OAuthClient.formType]
        headers[.dpop] = try signer.sign(claims, header: header)
        return try await servers.phones.execute(
            uri: Self.endpoint, method: .post, headers: headers, body: ByteBuffer(string: OAuthClient.encoded(form))
        ) { answer in
            OAuthClient.Answer(status: answer.status.code, headers: answer.headers, body: Array(buffer: answer.body))
        }
    }

    @Test("S0-18 the key that the phone named at its login gets a token for the webNonce, and another key does not")
    func exchanged() async throws {
        try await run { phone in
            let login = try await phone.logInApp(naming: named)
            let thief = try LocalSigner(.es256, stored: Sample.bytes(52))
            let refused = try await exchange(login.webNonce, by: thief, at: phone.servers)
            #expect(refused.status == 400 && refused.json["access_token"] == nil)
            let answer = try await exchange(login.webNonce, by: key, at: phone.servers)
            #expect(answer.status == 200 && answer.isForNobodyElse)
            #expect(answer.json["token_type"] == .string("DPoP") && answer.json["scope"] == .string("read"))
            #expect(answer.json["access_token"]?.string?.isEmpty == false && answer.json["refresh_token"] == nil)
        }
    }

    @Test("An older phone names no key: its webNonce says who it is, and gives no token")
    func unnamed() async throws {
        try await run { phone in
            let login = try await phone.logInApp()
            let refused = try await exchange(login.webNonce, by: key, at: phone.servers)
            #expect(refused.status == 400 && refused.json["access_token"] == nil)
            #expect(try await phone.servers.status(of: try SessionNonce(try #require(login.webNonce))).loggedIn)
        }
    }

    @Test("S0-22 after the stop the webNonce gives no token, whoever has the key")
    func stopped() async throws {
        try await run { phone in
            let login = try await phone.logInApp(naming: named)
            #expect(try await exchange(login.webNonce, by: key, at: phone.servers).status == 200)
            try await phone.stop(try #require(login.sessionID))
            #expect(try await exchange(login.webNonce, by: key, at: phone.servers).status == 400)
        }
    }
}
