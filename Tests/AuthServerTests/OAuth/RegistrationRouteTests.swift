import Authentication
import HTTPService
import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("The registration endpoint, RFC 7591")
struct RegistrationRouteTests {
    private static let path = "/oauth/register"
    private static let json = "application/json"
    private static let usual =
        #"{"redirect_uris":["https://rp.example/cb"],"client_name":"Tool","grant_types":["authorization_code","refresh_token"]}"#

    private func premises(_ mode: RegistrationPolicy.Mode, most: Int? = nil, proxies: TrustedProxies = .none) async throws -> OAuthFixture {
        let fixture = try await OAuthFixture(proxies: proxies)
        var policy = RegistrationPolicy(server: Sample.server)
        policy.mode = mode
        if let most { policy.most = most }
        policy.apis = [Sample.api: Sample.scopes("read")]
        try await registry(fixture).setRegistration(policy, by: .operator, now: fixture.now)
        return fixture
    }

    private func registry(_ fixture: OAuthFixture) -> RegistryService { RegistryService(store: fixture.store, random: SystemRandomSource()) }

    private func token(_ fixture: OAuthFixture, uses: Int = 1) async throws -> String {
        try await registry(fixture).drawInitialToken(at: Sample.server, life: 600, uses: uses, by: .operator, now: fixture.now).text
    }

    private func register(_ client: OAuthClient, token: String? = nil, _ body: String = usual, type: String? = json) async throws
        -> OAuthClient.Answer
    {
        try await client.send(.post, Self.path, body, authorization: token.map { ["Bearer \($0)"] } ?? [], contentType: type)
    }

    @Test("Where an operator opened nothing there is no such address, and the metadata names none; at another server it stays so")
    func closed() async throws {
        try await OAuthFixture().run { client in
            let answer = try await register(client)
            #expect(answer.status == 404 && answer.headers[.wwwAuthenticate] == nil)
            #expect(try await client.send(.get, "/.well-known/openid-configuration").json["registration_endpoint"] == nil)
        }
        let fixture = try await premises(.open)
        fixture.keyring.open(OAuthFixture.other)
        try await fixture.run { client in
            let metadata = try await client.send(.get, "/.well-known/openid-configuration").json
            #expect(metadata["registration_endpoint"] == .string(OAuthFixture.origin + Self.path))
            #expect(try await client.send(.post, "/oidc/\(OAuthFixture.other.text)\(Self.path)", Self.usual, contentType: Self.json).status == 404)
        }
    }

    @Test("A client registers, and has a login's tokens with the secret that it was given; nobody in between keeps the answer")
    func registers() async throws {
        let fixture = try await premises(.token)
        let token = try await token(fixture)
        try await fixture.run { client in
            let answer = try await register(client, token: token)
            #expect(answer.status == 201 && answer.isForNobodyElse && answer.headers[.accessControlAllowOrigin] == "*")
            let id = try #require(answer.json["client_id"]?.string)
            let secret = try #require(answer.json["client_secret"]?.string)
            #expect(answer.json["scope"]?.string == "openid profile email offline_access read" && answer.json["registration_access_token"] == nil)
            let form: OAuthClient.Form = [
                "grant_type": "authorization_code", "client_id": id, "client_secret": secret, "code": "none", "code_verifier": Sample.verifier,
            ]
            #expect(try await client.post("/oauth/token", form).isError("invalid_grant"))
            let wrong: OAuthClient.Form = [
                "grant_type": "authorization_code", "client_id": id, "client_secret": "\(secret)x", "code": "none",
                "code_verifier": Sample.verifier,
            ]
            let refused = try await client.post("/oauth/token", wrong)
            #expect(refused.isError("invalid_client", 401), "\(refused.status) \(refused.json)")
            #expect(!fixture.log.lines.contains { "\($0)".contains(secret) || "\($0)".contains(token) })
        }
    }

    @Test("What is wrong is told by the words of the RFC: the token first, then the body, then its members")
    func refusals() async throws {
        let fixture = try await premises(.token)
        let token = try await token(fixture)
        try await fixture.run { client in
            let none = try await register(client, "{")
            #expect(none.isError("invalid_token", 401) && none.headers[.wwwAuthenticate] == #"Bearer realm="registration""#)
            let wrong = try await register(client, token: "AAAA")
            #expect(wrong.isError("invalid_token", 401))
            #expect(wrong.headers[.wwwAuthenticate] == #"Bearer realm="registration", error="invalid_token""#)
            for body in ["", "{", "[]", #"{"a":1,"a":2}"#, "\"x\""] {
                #expect(try await register(client, token: token, body).isError("invalid_client_metadata"), "\(body)")
            }
            #expect(try await register(client, token: token, type: OAuthClient.formType).isError("invalid_client_metadata"))
            #expect(try await register(client, token: token, #"{"redirect_uris":["http://rp.example/"]}"#).isError("invalid_redirect_uri"))
            let machine = #"{"grant_types":["client_credentials"]}"#
            #expect(try await register(client, token: token, machine).isError("invalid_client_metadata"))
            #expect(try await register(client, token: token, String(repeating: " ", count: OAuthCall.bodyLimit + 1)).status == 413)
            let twice = try await client.send(
                .post, Self.path, Self.usual, authorization: ["Bearer \(token)", "Bearer \(token)"], contentType: Self.json)
            #expect(twice.isError("invalid_token", 401))
            // None of it used the token.
            #expect(try await register(client, token: token, type: "application/json; charset=utf-8").status == 201)
            #expect(try await register(client, token: token).isError("invalid_token", 401))
        }
    }

    @Test("Where anybody may register, one address may so often: then it is 429 with the time to wait; who else asks the proxy goes on")
    func tooOften() async throws {
        let fixture = try await premises(.open, proxies: TrustedProxies([.socket]))
        try await fixture.run { client in
            func register(from address: String) async throws -> OAuthClient.Answer {
                try await client.send(
                    .post, Self.path, Self.usual, contentType: Self.json, headers: [HTTPField.Name("X-Forwarded-For")!: "192.0.2.9, \(address)"])
            }
            for _ in 0..<20 { #expect(try await register(from: "203.0.113.7").status == 201) }
            let answer = try await register(from: "203.0.113.7")
            #expect(answer.isError("temporarily_unavailable", 429) && answer.headers[.retryAfter] == "86400")
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(try await register(from: "203.0.113.8").status == 201)
        }
    }

    @Test("While there are as many as there may be it is 503, and says when to ask again")
    func full() async throws {
        let fixture = try await premises(.open, most: 1)
        try await fixture.run { client in
            #expect(try await register(client).status == 201)
            let answer = try await register(client)
            #expect(answer.isError("temporarily_unavailable", 503) && answer.headers[.retryAfter] == "3600")
        }
    }

    @Test("Of many that come with a token for one, one is registered")
    func race() async throws {
        let fixture = try await premises(.token)
        let token = try await token(fixture)
        try await fixture.run { client in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await register(client, token: token).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 401 } == 7)
        }
        #expect(try await registry(fixture).registration(at: Sample.server, now: fixture.now).clients == 1)
    }
}
