import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("The authorization endpoint's table of checks")
struct AuthorizeRulesTests {
    private func refusal(_ changes: KeyValuePairs<String, String?>) async throws -> AuthorizeRefusal? {
        let fixture = try await ProviderFixture()
        return try await fixture.outcome(fixture.authorization(changes)).refusal
    }

    private func response(_ parameters: [Parameter], _ fixture: ProviderFixture) async throws -> AuthorizeResponse? {
        guard case .redirect(_, let response) = try await fixture.outcome(parameters) else { return nil }
        return response
    }

    @Test("S3-17, S3-18, S3-19, S3-20, S3-24, S3-25, S3-27 the request of the reference is taken as it is")
    func reference() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.authorization())
        #expect(request.application.id == (try fixture.client("mobile")))
        #expect(request.api?.identifier == fixture.timesheets)
        #expect(request.scopes.text == ProviderFixture.fullScope)
        #expect(request.challenge.text == ProviderFixture.challenge)
        #expect(request.redirect.text == ProviderFixture.callback)
        #expect(request.state == "state-1")
        #expect(request.nonce == "nonce-1")
    }

    @Test("resource is another name for audience, and both may name the same")
    func resource() async throws {
        let fixture = try await ProviderFixture()
        for changes: KeyValuePairs<String, String?> in [
            ["audience": nil, "resource": fixture.timesheets.text], ["resource": fixture.timesheets.text],
        ] {
            #expect(try await fixture.request(fixture.authorization(changes)).api?.identifier == fixture.timesheets)
        }
    }

    @Test("authz_unregistered_redirect_no_redirect, authz_redirect_query_added, _fragment_refused: the browser is sent nowhere")
    func redirects() async throws {
        let fixture = try await ProviderFixture()
        for address in [
            "https://evil.example/callback", "\(ProviderFixture.callback)?x=y", "\(ProviderFixture.callback)#x", "\(ProviderFixture.callback)/",
            "https://app.example/Callback",
        ] {
            guard case .page(let refusal) = try await fixture.outcome(fixture.authorization(["redirect_uri": address])) else {
                Issue.record("\(address) was answered by redirect")
                continue
            }
            #expect(refusal == .redirectNotRegistered)
        }
    }

    @Test("authz_redirect_query_mismatch: a registered query is part of the address")
    func queryMismatch() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.outcome(fixture.webAuthorization()).refusal == nil)
        for address in ["https://reports.example/cb", "https://reports.example/cb?tenant=2", "https://reports.example/cb?tenant=1&x=y"] {
            guard case .page(.redirectNotRegistered) = try await fixture.outcome(fixture.webAuthorization(["redirect_uri": address])) else {
                Issue.record("\(address) was taken")
                continue
            }
        }
    }

    @Test("An unknown, missing or disabled client, and two names of one, are told on a page: open redirects begin there")
    func clients() async throws {
        let fixture = try await ProviderFixture()
        func page(_ parameters: [Parameter]) async throws -> AuthorizeRefusal? {
            if case .page(let refusal) = try await fixture.outcome(parameters) { refusal } else { nil }
        }
        #expect(try await page(fixture.authorization(["client_id": nil])) == .clientMissing)
        #expect(try await page(fixture.authorization(["client_id": "nobody"])) == .clientUnknown)
        #expect(try await page(fixture.authorization() + [Parameter("client_id", "web")]) == .clientMissing)
        #expect(try await page(fixture.authorization() + [Parameter("redirect_uri", "https://evil.example/")]) == .redirectNotRegistered)
        try await fixture.change("mobile") { $0.isEnabled = false }
        #expect(try await page(fixture.authorization()) == .clientDisabled)
    }

    @Test("authz_missing_redirect_when_two_registered: the only one is meant, of two none is")
    func missingRedirect() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.request(fixture.authorization(["redirect_uri": nil])).redirect.text == ProviderFixture.callback)
        try await fixture.change("mobile") { $0.redirectURIs.append(try RedirectURI(registering: "com.example.app:/cb", ofApp: true)) }
        guard case .page(.redirectMissing) = try await fixture.outcome(fixture.authorization(["redirect_uri": nil])) else {
            Issue.record("one of two was chosen")
            return
        }
    }

    @Test("authz_response_type_missing, authz_response_type_token_refused, authz_response_type_code_id_token_refused")
    func responseTypes() async throws {
        #expect(try await refusal(["response_type": nil]) == .responseTypeMissing)
        for type in ["token", "id_token", "code id_token", "code token", "CODE"] {
            #expect(try await refusal(["response_type": type]) == .responseTypeUnsupported)
        }
        for mode in ["fragment", "form_post.jwt", "query.jwt"] { #expect(try await refusal(["response_mode": mode]) == .responseModeUnsupported) }
        #expect(try await refusal(["response_mode": "query"]) == nil)
    }

    @Test(
        "authz_duplicate_parameter: each but resource may come once",
        arguments: ["scope", "state", "code_challenge", "nonce", "response_type", "unknown"])
    func duplicates(name: String) async throws {
        let fixture = try await ProviderFixture()
        let parameters = fixture.authorization() + [Parameter(name, "x"), Parameter(name, "x")]
        #expect(try await fixture.outcome(parameters).refusal == .parameterRepeated(name))
        let response = try await response(parameters, fixture)
        // A state that came twice is not taken back.
        #expect((ProviderFixture.parameter("state", of: response?.location ?? "") == nil) == (name == "state"))
    }

    @Test(
        "A name that nobody would write is not said back, in an error that a page and a client's log show",
        arguments: ["a\"b", "a\\b", "a b", "é", "a\nb", String(repeating: "a", count: 65)])
    func strangeNames(name: String) async throws {
        let fixture = try await ProviderFixture()
        let parameters = fixture.authorization() + [Parameter(name, "x"), Parameter(name, "x")]
        let response = try #require(try await response(parameters, fixture))
        #expect(ProviderFixture.parameter("error_description", of: response.location) == "a%20parameter%20came%20twice")
    }

    @Test("authz_unknown_parameter_ignored")
    func unknownParameter() async throws {
        #expect(try await refusal(["extra": "anything", "display": "popup", "claims_locales": "se"]) == nil)
    }

    @Test("S3-26 authz_pkce_missing, authz_pkce_plain, _challenge_too_short/long/charset: the attack of a PKCE downgrade")
    func challenges() async throws {
        #expect(try await refusal(["code_challenge": nil]) == .challengeMissing)
        #expect(try await refusal(["code_challenge": nil, "code_challenge_method": nil]) == .challengeMissing)
        for method in ["plain", "s256", "S512"] { #expect(try await refusal(["code_challenge_method": method]) == .challengeMethodWrong) }
        // Left out it means plain (RFC 7636 §4.3).
        #expect(try await refusal(["code_challenge_method": nil]) == .challengeMethodWrong)
        #expect(try await refusal(["code_challenge": "short"]) == .challenge(.tooShort))
        #expect(try await refusal(["code_challenge": ProviderFixture.challenge + "A"]) == .challenge(.tooLong))
        #expect(try await refusal(["code_challenge": String(repeating: "!", count: 43)]) == .challenge(.badCharacter))
    }

    @Test("A website with a secret needs PKCE as well")
    func challengeOfWebsites() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.outcome(fixture.webAuthorization(["code_challenge": nil])).refusal == .challengeMissing)
    }

    @Test("authz_scope_bad_grammar, and a scope of which nothing may be granted")
    func scopes() async throws {
        #expect(try await refusal(["scope": "openid  profile"]) == .scope(.badGrammar))
        #expect(try await refusal(["scope": "batch:upload"]) == .nothingToGrant)
        #expect(try await refusal(["scope": nil]) == .nothingToGrant)
        #expect(try await refusal(["scope": "openid nothing:known"]) == nil)
    }

    @Test("A target that is none, two targets, and one that is not the client's are invalid_target")
    func targets() async throws {
        #expect(try await refusal(["audience": "https://other.example"]) == .targetUnknown)
        #expect(try await refusal(["audience": "no uri"]) == .targetUnknown)
        #expect(try await refusal(["resource": "https://other.example"]) == .targetUnknown)
        let fixture = try await ProviderFixture()
        try await fixture.change("mobile") { $0.apis = [:] }
        #expect(try await fixture.outcome(fixture.authorization()).refusal == .targetUnknown)
    }

    @Test("authz_prompt_none_plus_login_refused, and an unknown prompt")
    func prompts() async throws {
        #expect(try await refusal(["prompt": "none login"]) == .promptNoneWithOthers)
        #expect(try await refusal(["prompt": "now"]) == .promptUnknown)
        #expect(try await refusal(["prompt": "login consent select_account"]) == nil)
    }

    @Test("authz_max_age_negative: a number of seconds, written in digits")
    func maxAge() async throws {
        for text in ["-1", "+1", "1.5", "one", "99999999999999999999999"] { #expect(try await refusal(["max_age": text]) == .maxAgeWrong) }
        let fixture = try await ProviderFixture()
        #expect(try await fixture.request(fixture.authorization(["max_age": "99999999999"])).maxAge == .max)
        #expect(try await fixture.request(fixture.authorization(["max_age": "0"])).demand == .always)
    }

    @Test("authz_384_char_nonce_state: taken whole or refused, and never shortened")
    func lengths() async throws {
        let fixture = try await ProviderFixture()
        let long = String(repeating: "s", count: 384)
        let request = try await fixture.request(fixture.authorization(["state": long, "nonce": long]))
        #expect(request.state == long)
        #expect(request.nonce == long)
        #expect(try await refusal(["state": String(repeating: "s", count: 1_025)]) == .parameterTooLong("state"))
        #expect(try await refusal(["nonce": String(repeating: "s", count: 513)]) == .parameterTooLong("nonce"))
    }

    @Test("request-uri-unsupported, unsigned-request-object-unsupported: each is told by its own word")
    func requestObjects() async throws {
        #expect(try await refusal(["request": "e30.e30."]) == .requestObject)
        #expect(try await refusal(["request_uri": "https://client.example/request"]) == .foreignRequestURI)
        #expect(AuthorizeRefusal.requestObject.code == .requestNotSupported)
        #expect(AuthorizeRefusal.foreignRequestURI.code == .requestURINotSupported)
    }

    @Test("acr_values: what is known is asked for, what is not is voluntary; essential and unknown is refused at once")
    func strengths() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await fixture.request(fixture.authorization(["acr_values": "urn:x phr mfa"])).strengths == [.phishingResistant, .twoFactors])
        #expect(try await fixture.request(fixture.authorization(["acr_values": "urn:x"])).demand == .policy)
        #expect(try await fixture.request(fixture.authorization(["acr_values": "mfa"])).demand == .fresh(.max))
        let claims = #"{"id_token":{"acr":{"essential":true,"values":["phr"]},"email":null}}"#
        #expect(try await fixture.request(fixture.authorization(["claims": claims])).strengths == [.phishingResistant])
        #expect(try await refusal(["claims": #"{"id_token":{"acr":{"essential":true,"value":"urn:x"}}}"#]) == .requirementsUnmet)
        // What is only wished for makes nothing weaker that is essential.
        #expect(try await fixture.request(fixture.authorization(["claims": claims, "acr_values": "sf"])).strengths == [.phishingResistant])
        let unknown = #"{"id_token":{"acr":{"essential":true,"value":"urn:x"}}}"#
        #expect(try await refusal(["claims": unknown, "acr_values": "mfa"]) == .requirementsUnmet)
        let wish = #"{"id_token":{"acr":{"values":["phr"]}}}"#
        #expect(
            try await fixture.request(fixture.authorization(["claims": wish, "acr_values": "mfa"])).strengths == [.twoFactors, .phishingResistant])
        for text in ["{", "[]", #"{"id_token":1}"#, #"{"a":1,"a":2}"#] { #expect(try await refusal(["claims": text]) == .claimsWrong) }
    }

    @Test("authz_iss_in_success_and_error: the attack of a mix-up is answered by naming who answers")
    func issuer() async throws {
        let fixture = try await ProviderFixture()
        let refused = try #require(try await response(fixture.authorization(["prompt": "now", "state": "a&b=c d"]), fixture))
        #expect(
            refused.location
                == "https://app.example/callback?error=invalid_request&error_description=prompt%20has%20an%20unknown%20word&state=a%26b%3Dc%20d&iss=https%3A%2F%2Flogin.example"
        )
        let request = try await fixture.request(fixture.authorization())
        let given = AuthorizeResponse(to: request.redirect, code: "code-1", state: request.state, issuer: ProviderFixture.issuer)
        #expect(given.location == "https://app.example/callback?code=code-1&state=state-1&iss=https%3A%2F%2Flogin.example")
    }

    @Test("An address with a query keeps it")
    func query() async throws {
        let fixture = try await ProviderFixture()
        let request = try await fixture.request(fixture.webAuthorization(["state": nil]))
        let response = AuthorizeResponse(to: request.redirect, code: "code-1", state: nil, issuer: ProviderFixture.issuer)
        #expect(response.location == "https://reports.example/cb?tenant=1&code=code-1&iss=https%3A%2F%2Flogin.example")
    }

    @Test("Checking a request, and deciding what comes next, writes nothing")
    func flood() async throws {
        struct NoWrites: OAuthStore {
            struct Wrote: Error {}
            let store: any OAuthStore
            func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value {
                try await store.read(body)
            }
            func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
                throw Wrote()
            }
        }
        let fixture = try await ProviderFixture()
        let service = OAuthServices(store: NoWrites(store: fixture.store), keyring: fixture.keyring, random: fixture.random).authorize
        guard case .request(let request) = try await service.check(fixture.authorization(), at: ProviderFixture.server, askedAt: fixture.now) else {
            Issue.record("the request was refused")
            return
        }
        let step = try await service.next(for: request, AuthorizeVisit(askedAt: fixture.now, session: nil), now: fixture.now)
        #expect(step == .logIn(.policy))
    }

    @Test("id_token_hint: an ID token of ours, though it is over, and nothing else")
    func hints() async throws {
        let fixture = try await ProviderFixture()
        let idToken = try #require(try await fixture.tokens().idToken)
        fixture.clock.advance(100_000)
        #expect(try await fixture.request(fixture.authorization(["id_token_hint": idToken])).hinted == "alice")
        let foreign = try LocalSigner(.es256, stored: [UInt8](repeating: 99, count: 32)).sign(JSONObject(["sub": .string("alice")]), as: .idToken)
        for text in ["x", foreign, try await fixture.tokens().accessToken] { #expect(try await refusal(["id_token_hint": text]) == .hintWrong) }
        // Of another client: a stolen one would tell its thief whether that person is logged in.
        let others = try #require(try await fixture.webIDToken())
        #expect(try await fixture.outcome(fixture.authorization(["id_token_hint": others])).refusal == .hintWrong)
        #expect(try await fixture.outcome(fixture.webAuthorization(["id_token_hint": others])).refusal == nil)
    }

    @Test("Each rule is a function by its name, says where it is written, and those before the redirect is known answer on a page")
    func table() {
        let rules = AuthorizeRules.all
        #expect(Set(rules.map(\.name)).count == rules.count)
        #expect(rules.allSatisfy { $0.name.hasPrefix("check") && $0.section.contains("§") })
        #expect(rules.filter { $0.answer == .page }.map(\.name) == ["checkClient", "checkPushedRequest", "checkRedirectURI"])
        #expect(rules.prefix(3).allSatisfy { $0.answer == .page })
    }
}
