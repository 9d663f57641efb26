import Authentication
import Database
import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("What anybody may read of the provider, and from where")
struct DiscoveryRouteTests {
    private static let configuration = "/.well-known/openid-configuration"
    private static let metadata = "/.well-known/oauth-authorization-server"
    private static let keys = "/.well-known/jwks.json"
    private static let otherFolder = "/oidc/\(OAuthFixture.other.text)"

    @Test("Over the whole server: before an operator made an application or an API nothing is there and no keys are made; one API is enough")
    func nothing() async throws {
        try await ServersFixture.run { servers in
            let keyCount = { @Sendable () async throws -> Int in
                try await servers.database.read { connection in
                    try connection.query("SELECT kind FROM server_key WHERE kind LIKE 'token%'").count
                }
            }
            let paths = [Self.configuration, Self.metadata, Self.keys]
            for path in paths + ["/userinfo", "/logout", "/authorize", "/device"] {
                #expect(try await servers.get(path).status == .notFound, "\(path)")
            }
            #expect(try await keyCount() == 0)
            let api = ProtectedAPI(identifier: Sample.api, server: servers.server, name: "Things")
            try await SQLOAuthStore(database: servers.database, key: .random()).write { rows in try rows.save(api) }
            for path in paths { #expect(try await servers.get(path).status == .ok, "\(path)") }
            #expect(try await keyCount() > 0)
            let metadata = try JSONReader.object(try await servers.get(Self.configuration).body)
            #expect(metadata["issuer"] == .string(ServersFixture.origin))
            let keys = try JWKSet(json: try await servers.get(Self.keys).body)
            #expect(keys.keys.first?.algorithm == .es256)
            #expect(try await servers.get("/userinfo").status == .unauthorized)
        }
    }

    @Test("Both discovery documents are one text, whose issuer is the origin and whose addresses are there")
    func documents() async throws {
        try await OAuthFixture().run { client in
            let answer = try await client.send(.get, Self.configuration)
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            #expect(try await client.send(.get, Self.metadata).body == answer.body)
            #expect(answer.json["issuer"] == .string(OAuthFixture.origin) && answer.json["jwks_uri"] == .string(OAuthFixture.origin + Self.keys))
            #expect(answer.json["id_token_signing_alg_values_supported"]?.strings == ["ES256", "EdDSA", "RS256"])
            let pages: Set = ["authorization_endpoint", "end_session_endpoint"]
            for member in answer.json.members where member.name.hasSuffix("_endpoint") && !pages.contains(member.name) {
                let path = try #require(member.value.string).dropFirst(OAuthFixture.origin.count)
                #expect(try await client.send(.options, String(path)).status == 204, "\(member.name)")
            }
        }
    }

    @Test("Keys and metadata may be kept for a while, a copy is asked about by its tag, and a new key is there at once")
    func caching() async throws {
        try await OAuthFixture().run { client in
            for (path, life) in [(Self.configuration, 3_600), (Self.keys, 300)] {
                let answer = try await client.send(.get, path)
                let tag = try #require(answer.headers[.eTag])
                #expect(answer.headers[.cacheControl] == "public, max-age=\(life)")
                for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                    let again = try await client.send(.get, path, headers: [.ifNoneMatch: known])
                    #expect(again.status == 304 && again.body.isEmpty && again.headers[.eTag] == tag, "\(known)")
                    #expect(again.headers[.cacheControl] == answer.headers[.cacheControl])
                }
                let head = try await client.send(.head, path)
                #expect(head.status == 200 && head.body.isEmpty && head.headers[.eTag] == tag)
            }
            let before = try await client.send(.get, Self.keys)
            #expect(before.json["keys"]?.array?.count == 1)
            client.fixture.keyring.rotate(try LocalSigner(.es256, stored: Sample.bytes(32)))
            let after = try await client.send(.get, Self.keys, headers: [.ifNoneMatch: try #require(before.headers[.eTag])])
            #expect(after.status == 200 && after.json["keys"]?.array?.count == 2)
            let members = try #require(after.json["keys"]?.array?.first?.object)
            #expect(members["d"] == nil && members["kid"] != nil && members["alg"] == .string("ES256") && members["use"] == .string("sig"))
        }
    }

    @Test("Metadata asks the database once in ten seconds, and at once when its operator said something; what another node was told is there by then")
    func memory() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.migrate(AuthenticationSchema.migrations)
        let fixture = try await OAuthFixture(over: database)
        @Sendable func say(_ mode: RegistrationPolicy.Mode, over store: any OAuthStore) async throws {
            var policy = RegistrationPolicy(server: Sample.server)
            policy.mode = mode
            try await RegistryService(store: store, random: SystemRandomSource()).setRegistration(policy, by: .operator, now: fixture.now)
        }
        let elsewhere = SQLOAuthStore(database: database, key: .random())
        try await fixture.run { client in
            @Sendable func names() async throws -> Bool { try await client.send(.get, Self.configuration).json["registration_endpoint"] != nil }
            #expect(try await !names())
            _ = database.take()
            for path in [Self.configuration, Self.metadata, Self.configuration] {
                #expect(try await client.send(.get, path).json["registration_endpoint"] == nil)
            }
            let asked = database.take()
            #expect(asked.reads == 0 && asked.statements.isEmpty)
            try await say(.open, over: fixture.store)
            #expect(try await names())
            try await say(.closed, over: elsewhere)
            fixture.clock.advance(9)
            #expect(try await names())
            fixture.clock.advance(1)
            #expect(try await !names())
            // A server that has no provider is asked about each time, and nothing is kept of it.
            for _ in 0..<2 { #expect(try await client.send(.get, Self.otherFolder + Self.configuration).status == 404) }
        }
    }

    @Test("Another virtual server has an issuer of its own, in its folder; RFC 8414 inserts its name before the path")
    func otherServer() async throws {
        let fixture = try await OAuthFixture()
        try await fixture.run { client in
            let addresses = [
                Self.otherFolder + Self.configuration, Self.configuration + Self.otherFolder, Self.metadata + Self.otherFolder,
                Self.otherFolder + Self.keys,
            ]
            for address in addresses { #expect(try await client.send(.get, address).status == 404, "it has no application yet") }
            fixture.keyring.open(OAuthFixture.other)
            let documents = try await [client.send(.get, addresses[0]), client.send(.get, addresses[1]), client.send(.get, addresses[2])]
            #expect(documents.allSatisfy { $0.status == 200 && $0.body == documents[0].body })
            #expect(documents[0].json["issuer"] == .string(OAuthFixture.origin + Self.otherFolder))
            #expect(documents[0].json["token_endpoint"] == .string(OAuthFixture.origin + Self.otherFolder + "/oauth/token"))
            #expect(try await client.send(.get, addresses[3]).status == 200)
            // What the first server knows is unknown here.
            let code = try await fixture.code().text
            let form: OAuthClient.Form = ["grant_type": "authorization_code", "client_id": "shop-1", "code_verifier": Sample.verifier, "code": code]
            #expect(try await client.post(Self.otherFolder + "/oauth/token", form).isError("invalid_client", 401))
        }
    }

    @Test("An issuer has one address: neither the first server in a folder, nor another spelling, nor a server that is none")
    func oneAddress() async throws {
        try await OAuthFixture().run { (client) async throws in
            for name in [Sample.server.text, "nothing", OAuthFixture.other.text + "=", "", String(OAuthFixture.other.text.dropLast()) + "B"] {
                #expect(try await client.send(.get, "/oidc/\(name)\(Self.configuration)").status == 404, "\(name)")
                #expect(try await client.send(.get, "\(Self.metadata)/oidc/\(name)").status == 404, "\(name)")
            }
        }
    }

    @Test("A proof is for the address of its server: one for the first server's endpoint is none at another's")
    func proofOfAnotherServer() async throws {
        let fixture = try await OAuthFixture()
        try await fixture.addOther()
        try await fixture.run { client in
            let form: OAuthClient.Form = ["grant_type": "refresh_token", "client_id": "shop-1", "refresh_token": "x"]
            let path = Self.otherFolder + "/oauth/token"
            let first = try OAuthFixture.Proof(id: "1").text(at: fixture.now)
            #expect(try await client.post(path, form, proofs: [first]).isError("invalid_dpop_proof"))
            let own = try OAuthFixture.Proof(address: OAuthFixture.origin + path, id: "2").text(at: fixture.now)
            #expect(try await client.post(path, form, proofs: [own]).isError("invalid_grant"))
        }
    }

    @Test("par_wrong_verb, tok_get_refused: an address takes the methods that it has, and says so")
    func methods() async throws {
        try await OAuthFixture().run { client in
            let posts = ["/oauth/token", "/oauth/par", "/oauth/device/code", "/oauth/bc-authorize", "/oauth/introspect", "/oauth/revoke"]
            for path in posts + posts.map({ Self.otherFolder + $0 }) {
                for method in [HTTPRequest.Method.get, .head, .put, .delete] {
                    let answer = try await client.send(method, path)
                    #expect(answer.status == 405 && answer.headers[.allow] == "OPTIONS, POST", "\(method) \(path)")
                }
            }
            for path in [Self.configuration, Self.metadata, Self.keys] {
                let answer = try await client.send(.post, path)
                #expect(answer.status == 405 && answer.headers[.allow] == "GET, HEAD, OPTIONS", "\(path)")
            }
            #expect(try await client.send(.put, "/userinfo").headers[.allow] == "GET, HEAD, OPTIONS, POST")
        }
    }

    @Test("Programs in browsers of other sites may call what they need, without cookies, and nothing else")
    func otherSites() async throws {
        try await OAuthFixture().run { client in
            let asking: HTTPFields = [.origin: "https://spa.example", .accessControlRequestMethod: "POST", .accessControlRequestHeaders: "dpop"]
            for (path, methods) in [
                ("/oauth/token", "POST"), ("/oauth/revoke", "POST"), ("/userinfo", "GET, POST"), (Self.configuration, "GET"), (Self.metadata, "GET"),
                (Self.keys, "GET"), ("/oauth/register", "POST"),
            ] {
                let answer = try await client.send(.options, path, headers: asking)
                #expect(answer.status == 204 && answer.headers[.accessControlAllowOrigin] == "*", "\(path)")
                #expect(answer.headers[.accessControlAllowMethods] == methods)
                #expect(answer.headers[.accessControlAllowHeaders] == "Authorization, Content-Type, DPoP")
                #expect(answer.headers[.accessControlAllowCredentials] == nil)
            }
            for path in ["/oauth/par", "/oauth/device/code", "/oauth/bc-authorize", "/oauth/introspect"] {
                let answer = try await client.send(.options, path, headers: asking)
                #expect(answer.headers[.accessControlAllowOrigin] == nil && answer.headers[.accessControlAllowMethods] == nil, "\(path)")
            }
            // Refusals as well, or nobody would learn why.
            let refused = try await client.post("/oauth/token", ["client_id": "shop-1"])
            #expect(refused.status == 400 && refused.headers[.accessControlAllowOrigin] == "*")
            #expect(refused.headers[.accessControlExposeHeaders] == "DPoP-Nonce, WWW-Authenticate")
            #expect(try await client.send(.get, "/userinfo").headers[.accessControlAllowOrigin] == "*")
        }
    }
    @Test("What goes wrong they may read as well: 404, 413, 500 and 503 have the fields for it, and the next nonce where a proof came")
    func failures() async throws {
        let database = try await misbehavingDatabase()
        let fixture = try await OAuthFixture(over: database, asksNonce: true)
        try await fixture.run { client in
            func expectReadable(_ answer: OAuthClient.Answer, _ status: Int, hasNonce: Bool) {
                #expect(answer.status == status && answer.headers[.accessControlAllowOrigin] == "*", "\(status)")
                #expect(answer.headers[.accessControlExposeHeaders] == "DPoP-Nonce, WWW-Authenticate", "\(status)")
                #expect(answer.headers[.crossOriginResourcePolicy] == "cross-origin", "\(status)")
                #expect((answer.headers[.dpopNonce] != nil) == hasNonce, "\(status)")
            }
            let proofs = ["any"]
            expectReadable(try await client.send(.get, Self.otherFolder + "/userinfo", proofs: proofs), 404, hasNonce: false)
            let closed = try await client.send(.post, "/oauth/register", "{}", proofs: proofs, contentType: "application/json")
            expectReadable(closed, 404, hasNonce: true)
            let large = String(repeating: "a", count: OAuthCall.bodyLimit + 1)
            for (sent, hasNonce) in [(proofs, true), ([], false)] {
                let answer = try await client.send(.post, "/oauth/token", large, proofs: sent, contentType: OAuthClient.formType)
                expectReadable(answer, 413, hasNonce: hasNonce)
            }
            // Introspection is for no other site, and says so by saying nothing.
            let foreign = try await client.send(.post, "/oauth/introspect", large, proofs: proofs, contentType: OAuthClient.formType)
            #expect(foreign.status == 413 && foreign.headers[.accessControlAllowOrigin] == nil && foreign.headers[.dpopNonce] != nil)
            fixture.keyring.fail(with: .unavailable)
            let outage = try await client.send(.get, "/userinfo", authorization: ["Bearer any"], proofs: proofs)
            expectReadable(outage, 503, hasNonce: false)
            #expect(outage.headers[.retryAfter] == "30" && outage.json["error_description"] != nil)
            fixture.keyring.fail(with: nil)
            try await database.close()
            expectReadable(try await client.send(.get, "/userinfo", authorization: ["Bearer any"], proofs: proofs), 500, hasNonce: true)
        }
    }
}
