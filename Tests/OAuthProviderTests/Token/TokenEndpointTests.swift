import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("The token endpoint")
struct TokenEndpointTests {
    private typealias Fixture = ProviderFixture

    @Test("tok_get_refused, tok_json_body_refused: a form, by POST")
    func forms() async throws {
        let fixture = try await ProviderFixture()
        let parameters: KeyValuePairs<String, String?> = ["grant_type": "client_credentials"]
        #expect(try await fixture.refusal(of: fixture.call(parameters, method: "GET")) == .parameterWrong("method"))
        for type in ["application/json", nil, "text/plain"] {
            #expect(try await fixture.refusal(of: fixture.call(parameters, contentType: type)) == .parameterWrong("content-type"))
        }
    }

    @Test("A parameter that comes twice is refused, and one without a value is none")
    func parameters() async throws {
        let fixture = try await ProviderFixture()
        let twice = try fixture.call(["grant_type": "client_credentials", "scope": "a", "scope": "a"], authorization: [Fixture.batchBasic])
        #expect(try await fixture.refusal(of: twice) == .parameterRepeated("scope"))
        let empty = try fixture.call(["grant_type": "client_credentials", "scope": ""], authorization: [Fixture.batchBasic])
        #expect(try await fixture.refusal(of: empty) == nil)
        #expect(try await fixture.refusal(of: fixture.call(["client_id": "mobile"])) == .parameterMissing("grant_type"))
    }

    @Test("password and implicit grants are not known")
    func grantTypes() async throws {
        let fixture = try await ProviderFixture()
        for type in ["password", "implicit", "AUTHORIZATION_CODE", "urn:ietf:params:oauth:grant-type:jwt-bearer"] {
            #expect(try await fixture.refusal(of: fixture.call(["grant_type": type, "client_id": "mobile"])) == .grantTypeUnknown)
        }
        #expect(Set(TokenGrants.all.map { $0.type }) == Set(GrantType.allCases))
    }

    @Test("A grant type that the client may not use is refused before anything is looked up")
    func notAllowed() async throws {
        let fixture = try await ProviderFixture()
        let call = try fixture.call(["grant_type": "client_credentials", "client_id": "mobile"])
        #expect(try await fixture.refusal(of: call) == .grantTypeNotAllowed)
    }

    @Test("client_credentials: the scopes of the machine, of the one API that it has")
    func clientCredentials() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.answer(fixture.call(["grant_type": "client_credentials"], authorization: [Fixture.batchBasic]))
        #expect(response.scopes.text == "batch:upload")
        #expect(response.refreshToken == nil && response.idToken == nil)
        let claims = try fixture.claims(response.accessToken)
        #expect(claims.subject == "batch" && claims.authentication == nil)
        #expect(TokenNumber.holder(of: claims.id) == .client)
        let more = try fixture.call(["grant_type": "client_credentials", "scope": "read:timesheets"], authorization: [Fixture.batchBasic])
        #expect(try await fixture.refusal(of: more) == .nothingGranted)
        let other = try fixture.call(["grant_type": "client_credentials", "audience": "https://other.example"], authorization: [Fixture.batchBasic])
        #expect(try await fixture.refusal(of: other) == .targetUnknown)
    }

    @Test("A JWT for a machine that shows a secret is given, and told about, without a write; a proof, an assertion or an opaque token needs one")
    func withoutWriting() async throws {
        let fixture = try await ProviderFixture()
        let services = fixture.readingServices
        let call = try fixture.call(["grant_type": "client_credentials"], authorization: [Fixture.batchBasic])
        let given = try await services.token.answer(call, at: fixture.now)
        #expect(given.scopes.text == "batch:upload")
        let asked = try fixture.call(["token": given.accessToken], authorization: [Fixture.batchBasic])
        #expect(try await services.introspection.facts(asked, at: fixture.now) == .accessToken(try fixture.claims(given.accessToken)))
        // What is wrong is told there as it is where something is written.
        let wrong = try fixture.call(["grant_type": "client_credentials"], authorization: ["Basic YmF0Y2g6d3Jvbmc="])
        for service in [services, fixture.services] {
            await #expect(throws: TokenRefusal.client(.secretWrong)) { try await service.token.answer(wrong, at: fixture.now) }
        }
        let timesheets = fixture.timesheets
        try await fixture.memory.write { rows in
            var api = try #require(try rows.api(timesheets, of: Fixture.server))
            api.form = .opaque
            try rows.save(api)
        }
        await #expect(throws: ReadOnlyOAuthStore.Written.self) { try await services.token.answer(call, at: fixture.now) }
        #expect(try await fixture.answer(call).scopes.text == "batch:upload")
        try await fixture.change("batch") { $0.isEnabled = false }
        await #expect(throws: TokenRefusal.client(.disabled)) { try await services.token.answer(call, at: fixture.now) }
    }

    @Test("client_credentials are not for a client that keeps no secret")
    func publicClient() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") { $0.grantTypes.insert(.clientCredentials) }
        let call = try fixture.call(["grant_type": "client_credentials", "client_id": "mobile"])
        #expect(try await fixture.refusal(of: call) == .publicClient)
    }

    @Test("dpop_jti_replay: one proof, one request, also for another grant")
    func replayedProof() async throws {
        let fixture = try await ProviderFixture()
        let proof = try fixture.proof(id: "once")
        _ = try await fixture.tokens(proofs: [proof])
        let again = try fixture.exchange(try await fixture.code(), proofs: [proof])
        #expect(try await fixture.refusal(of: again) == .proof(.replayed))
        // A thief can't spend the proofs of a key that is not theirs.
        let other = try fixture.exchange(try await fixture.code(), proofs: [try fixture.proof(52, id: "once")])
        #expect(try await fixture.refusal(of: other) == nil)
    }

    @Test("A replayed proof spends no code")
    func replayKeepsCode() async throws {
        let fixture = try await ProviderFixture()
        let proof = try fixture.proof(id: "once")
        _ = try await fixture.tokens(proofs: [proof])
        let code = try await fixture.code()
        #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: [proof])) == .proof(.replayed))
        #expect(try await fixture.refusal(of: fixture.exchange(code, proofs: [try fixture.proof()])) == nil)
    }

    @Test("Where proofs need a nonce the first one is answered with it, and nothing is spent")
    func nonces() async throws {
        let fixture = try await ProviderFixture()
        let code = try await fixture.code()
        func call(_ nonce: String?) throws -> TokenCall {
            try fixture.call(
                [
                    "grant_type": "authorization_code", "client_id": "mobile", "code_verifier": Fixture.verifier, "code": code,
                    "redirect_uri": Fixture.callback,
                ], proofs: [try fixture.proof(nonce: nonce)], asksNonce: true)
        }
        #expect(try await fixture.refusal(of: call(nil)) == .proof(.nonceNeeded))
        let answer = TokenRefusal.proof(.nonceNeeded).answer(nonce: "n")
        #expect(answer.code == .useDPoPNonce && answer.status == 400 && answer.nonce == "n")
        #expect(try await fixture.refusal(of: call(fixture.keyring.tokenKeys.nonces.current(at: fixture.now))) == nil)
    }

    @Test("A client that has to prove its key gets nothing without")
    func proofRequired() async throws {
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") { $0.requiresDPoP = true }
        #expect(try await fixture.refusal(of: fixture.exchange(try await fixture.code())) == .proof(.missing))
        #expect(try await fixture.refusal(of: fixture.exchange(try await fixture.code(), proofs: [try fixture.proof()])) == nil)
    }

    @Test("A proof for another endpoint is none")
    func otherEndpoint() async throws {
        let fixture = try await ProviderFixture()
        let proof = try fixture.proof(address: "https://login.example/oauth/par")
        #expect(try await fixture.refusal(of: fixture.exchange(try await fixture.code(), proofs: [proof])) == .proof(.targetWrong))
    }

    @Test("tok_error_is_json_400_invalid_grant: what a thief could try reads all the same")
    func errors() {
        let code = TokenRefusal.codeUnknown.answer(nonce: nil)
        #expect(code == OAuthError(.invalidGrant, code.description))
        for refusal in [TokenRefusal.codeExpired, .codeSpent, .codeOfAnother, .redirectChanged, .verifierWrong] {
            #expect(refusal.answer(nonce: nil) == code)
        }
        let refresh = TokenRefusal.refreshUnknown.answer(nonce: nil)
        for refusal in [TokenRefusal.refreshOfAnother, .refreshExpired, .refreshReused, .grantOver] { #expect(refusal.answer(nonce: nil) == refresh) }
        #expect(code.status == 400 && refresh.code == .invalidGrant && refresh.status == 400)
    }

    @Test("Every word of an error has the status of its RFC")
    func statuses() {
        let other = OAuthErrorCode.allCases.filter { $0.status != 400 }.map { "\($0.rawValue) \($0.status)" }
        #expect(
            Set(other) == [
                "invalid_client 401", "invalid_token 401", "insufficient_user_authentication 401", "insufficient_scope 403", "server_error 500",
                "temporarily_unavailable 503",
            ])
    }
}
