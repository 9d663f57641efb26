import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Client authentication, RFC 6749 §2.3 and RFC 7523")
struct ClientAuthenticationTests {
    private typealias Fixture = ProviderFixture

    /// Why the batch client gets no token.
    private func refusal(
        _ changes: KeyValuePairs<String, String?> = [:], authorization: [String] = [Fixture.batchBasic], in fixture: ProviderFixture? = nil
    ) async throws -> TokenRefusal? {
        let fixture = if let fixture { fixture } else { try await ProviderFixture() }
        let parameters = [Parameter("grant_type", "client_credentials"), Parameter("audience", fixture.timesheets.text)]
        return try await fixture.refusal(of: Fixture.post(parameters.changed(changes), authorization: authorization))
    }

    private func basic(_ text: String) -> String { "Basic \(text)" }

    @Test("A secret is taken by the header and in the body")
    func good() async throws {
        #expect(try await refusal() == nil)
        #expect(try await refusal(["client_id": "batch"]) == nil)
        #expect(try await refusal(["client_id": "batch", "client_secret": "batch-secret"], authorization: []) == nil)
        #expect(try await refusal(authorization: [Fixture.batchBasic.replacing("Basic", with: "basic")]) == nil)
    }

    @Test("tok_double_client_auth, tok_body_id_differs: one way, and one name")
    func twoWays() async throws {
        #expect(try await refusal(["client_secret": "batch-secret"]) == .client(.twoWays))
        #expect(try await refusal(["client_assertion": "a.b.c"]) == .client(.twoWays))
        #expect(try await refusal(authorization: [Fixture.batchBasic, Fixture.batchBasic]) == .client(.twoWays))
        #expect(try await refusal(["client_id": "web"]) == .client(.namesDiffer))
        #expect(TokenRefusal.client(.twoWays).code == .invalidRequest)
    }

    @Test("tok_basic_not_base64, tok_basic_no_colon, and other schemes")
    func basicForms() async throws {
        #expect(try await refusal(authorization: [basic("!!!")]) == .client(.notBase64))
        #expect(try await refusal(authorization: [basic("YmF0Y2g=")]) == .client(.noColon))
        #expect(try await refusal(authorization: [basic("YmF0Y2g6JTI=")]) == .client(.badEscape))
        #expect(try await refusal(authorization: ["Bearer abc"]) == .client(.schemeUnknown))
        #expect(try await refusal(authorization: ["Basic"]) == .client(.schemeUnknown))
        #expect(try await refusal(authorization: []) == .client(.missing))
    }

    @Test("An empty secret is none, in the header as in the body: a client that has none is served, and one that has one is not")
    func emptySecret() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("batch") { $0.grantTypes.insert(.tokenExchange) }
        for authorization in [[basic("YmF0Y2g6")], []] {
            #expect(try await refusal(["client_id": "batch", "client_secret": ""], authorization: authorization) == .client(.methodWrong))
        }
        // mobile: keeps no secret, and is refused for something else.
        #expect(try await refusal(authorization: [basic("bW9iaWxlOg==")]) == .grantTypeNotAllowed)
        #expect(try await refusal(authorization: [basic("bW9iaWxlOmE=")]) == .client(.methodWrong))
        #expect(TokenRefusal.client(.methodWrong).reason == "client(methodWrong)")
        #expect(TokenRefusal.parameterRepeated("a\nb").reason == "parameterRepeated")
    }

    @Test("Both parts of Basic are encoded like a form")
    func escapes() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("batch") { $0.secrets = [ClientSecret(hash: ClientSecret.hash(of: "a b:é"), expiresAt: nil)] }
        // batch:a+b%3A%C3%A9
        #expect(try await refusal(authorization: [basic("YmF0Y2g6YStiJTNBJUMzJUE5")], in: fixture) == nil)
    }

    @Test("tok_secret_expired: an old secret goes on beside the new one until it expires")
    func secrets() async throws {
        let fixture = try await ProviderFixture()
        let end = fixture.now + 10
        try await fixture.change("batch") {
            $0.secrets = [
                ClientSecret(hash: ClientSecret.hash(of: "newer"), expiresAt: nil),
                ClientSecret(hash: ClientSecret.hash(of: "batch-secret"), expiresAt: end),
            ]
        }
        #expect(try await refusal(in: fixture) == nil)
        fixture.clock.advance(10)
        #expect(try await refusal(in: fixture) == .client(.secretWrong))
    }

    @Test("A wrong secret, no secret, an unknown and a disabled client are told the same, with a 401 and its challenge")
    func unknown() async throws {
        let wrong = TokenRefusal.client(.secretWrong).answer(nonce: nil)
        #expect(wrong.status == 401)
        #expect(wrong.challenge?.hasPrefix("Basic ") == true)
        for refusal in [ClientRefusal.unknown, .disabled, .methodWrong, .missing, .assertionReplayed] {
            #expect(TokenRefusal.client(refusal).answer(nonce: nil) == wrong)
        }
        #expect(try await refusal(["client_id": "batch", "client_secret": "wrong"], authorization: []) == .client(.secretWrong))
        #expect(try await refusal(["client_id": "batch"], authorization: []) == .client(.methodWrong))
        #expect(try await refusal(["client_id": "nobody", "client_secret": "batch-secret"], authorization: []) == .client(.unknown))
        let fixture = try await ProviderFixture()
        try await fixture.change("batch") { $0.isEnabled = false }
        #expect(try await refusal(in: fixture) == .client(.disabled))
    }

    @Test("A public client that sends a secret is refused: it is not the one that was registered")
    func publicSecret() async throws {
        let fixture = try await ProviderFixture()
        let call = try fixture.exchange(try await fixture.code(), ["client_secret": "anything"])
        #expect(try await fixture.refusal(of: call) == .client(.methodWrong))
    }
}

@Suite("private_key_jwt, RFC 7523 §3")
struct ClientAssertionTests {
    private typealias Fixture = ProviderFixture

    private func fixture(isStrict: Bool = false) async throws -> ProviderFixture {
        let fixture = try await ProviderFixture()
        let keys = JWKSet([try Fixture.phoneKey(61).key])
        try await fixture.change("batch") {
            var application = Application(id: $0.id, server: $0.server, kind: .machine, name: $0.name, authentication: .privateKeyJWT)
            application.keys = keys
            application.apis = $0.apis
            application.grantTypes = $0.grantTypes
            application.mayAssertByRS256 = !isStrict
            $0 = application
        }
        return fixture
    }

    private func claims(_ now: Instant, _ change: (inout JSONObject) -> Void) -> JSONObject {
        var claims = JSONObject([
            "iss": .string("batch"), "sub": .string("batch"), "aud": .string(Fixture.issuer), "jti": .string("a-1"), "exp": .moment(now + 60),
            "iat": .moment(now),
        ])
        change(&claims)
        return claims
    }

    private func refusal(
        _ fixture: ProviderFixture, signedBy key: UInt8 = 61, _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> TokenRefusal? {
        try await refusal(fixture, try Fixture.phoneKey(key).sign(claims(fixture.now, change), as: .clientAssertion))
    }

    private func refusal(_ fixture: ProviderFixture, _ assertion: String) async throws -> TokenRefusal? {
        try await fixture.refusal(
            of: fixture.call([
                "grant_type": "client_credentials", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": assertion,
            ]))
    }

    @Test("tok_assertion_jti_reused: an assertion is good once")
    func once() async throws {
        let fixture = try await fixture()
        #expect(try await refusal(fixture) == nil)
        #expect(try await refusal(fixture) == .client(.assertionReplayed))
        #expect(try await refusal(fixture) { $0["jti"] = .string("a-2") } == nil)
    }

    @Test("What a client of another server with the same name showed is not spent here")
    func otherServer() async throws {
        let fixture = try await fixture()
        let other = Fixture.identifier(9, ServerKind.self)
        let (id, timesheets, keys) = (try fixture.client("batch"), fixture.timesheets, JWKSet([try Fixture.phoneKey(61).key]))
        try await fixture.memory.write { rows in
            var api = ProtectedAPI(identifier: timesheets, server: other, name: "Timesheets")
            api.scopes = Fixture.apiScopes.scopes.map { APIScope($0, words: "do it") }
            try rows.save(api)
            var application = Application(id: id, server: other, kind: .machine, name: "Batch", authentication: .privateKeyJWT)
            application.keys = keys
            application.apis = [timesheets: Fixture.apiScopes]
            application.grantTypes = [.clientCredentials]
            try rows.save(application)
        }
        let assertion = try Fixture.phoneKey(61).sign(claims(fixture.now) { _ in }, as: .clientAssertion)
        func call(_ server: ServerID) throws -> TokenCall {
            let parameters = [
                Parameter("grant_type", "client_credentials"),
                Parameter("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                Parameter("client_assertion", assertion),
            ]
            return try Fixture.post(parameters, at: server)
        }
        for server in [Fixture.server, other] {
            #expect(try await fixture.refusal(of: call(server)) == nil)
            #expect(try await fixture.refusal(of: call(server)) == .client(.assertionReplayed))
        }
    }

    @Test("tok_assertion_wrong_aud: it is for this provider")
    func audience() async throws {
        let fixture = try await fixture()
        #expect(try await refusal(fixture) { $0["aud"] = .string("https://other.example") } == .client(.audienceWrong))
        #expect(try await refusal(fixture) { $0["aud"] = nil } == .client(.audienceWrong))
        // What was refused is not spent.
        #expect(try await refusal(fixture) == nil)
    }

    @Test("par_audience_array, par_url_refused, par_token_url_refused: an assertion is for the issuer alone, of every client")
    func endpointAudience() async throws {
        for isStrict in [false, true] {
            let fixture = try await fixture(isStrict: isStrict)
            let audiences: [JSONValue] = [
                .strings([Fixture.issuer]), .strings([Fixture.issuer, "https://other.example"]), .string(Fixture.tokenEndpoint),
                .string("https://login.example/oauth/par"), .string(Fixture.issuer + "/"),
            ]
            for audience in audiences { #expect(try await refusal(fixture) { $0["aud"] = audience } == .client(.audienceWrong)) }
            #expect(try await refusal(fixture) == nil)
        }
    }

    @Test("tok_assertion_exp_past_5min, tok_assertion_nbf_8s_ok, tok_assertion_nbf_60s_refused: clocks may differ by ten seconds")
    func times() async throws {
        let fixture = try await fixture()
        let now = fixture.now
        #expect(try await refusal(fixture) { $0["exp"] = .moment(now - 300) } == .client(.assertionClaims(.expired)))
        #expect(try await refusal(fixture) { $0["nbf"] = .moment(now + 60) } == .client(.assertionClaims(.notYetValid)))
        #expect(try await refusal(fixture) { $0["exp"] = .moment(now + 4_200) } == .client(.assertionTooLong))
        #expect(try await refusal(fixture) { $0["nbf"] = .moment(now + 8) } == nil)
    }

    @Test("tok_assertion_no_sub, tok_assertion_no_jti, and one that another wrote")
    func claimsMissing() async throws {
        let fixture = try await fixture()
        #expect(try await refusal(fixture) { $0["sub"] = nil } == .client(.assertionClaims(.missing("sub"))))
        #expect(try await refusal(fixture) { $0["jti"] = nil } == .client(.assertionClaims(.missing("jti"))))
        #expect(try await refusal(fixture) { $0["exp"] = nil } == .client(.assertionClaims(.missing("exp"))))
        #expect(try await refusal(fixture) { $0["iss"] = .string("web") } == .client(.issuerIsNotSubject))
        #expect(try await refusal(fixture) { $0["sub"] = .string("web") } == .client(.methodWrong))
        #expect(try await refusal(fixture, signedBy: 62) == .client(.assertion(.keyUnknown)))
    }

    @Test("tok_assertion_alg_none, and RS256_when_fapi: the algorithm is one that is allowed, by a key that is known")
    func algorithms() async throws {
        let fixture = try await fixture()
        let good = try Fixture.phoneKey(61).sign(claims(fixture.now) { _ in }, as: .clientAssertion).split(separator: ".")
        let none = Base64URL.encode(Array(#"{"typ":"JWT","alg":"none"}"#.utf8))
        #expect(try await refusal(fixture, "\(none).\(good[1]).") == .client(.assertion(.algorithmUnknown)))
        let rs256 = Base64URL.encode(Array(#"{"typ":"JWT","alg":"RS256"}"#.utf8))
        let strict = try await self.fixture(isStrict: true)
        #expect(try await refusal(strict, "\(rs256).\(good[1]).\(good[2])") == .client(.assertion(.algorithmNotAllowed)))
        #expect(try await refusal(fixture, "\(rs256).\(good[1]).\(good[2])") == .client(.assertion(.keyUnknown)))
    }
}
