import OstiaryProtocol
import OstiaryResource
import OstiaryTokens
import Testing

@Suite("What a caller hears who is not let in, RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3")
struct AnswerTests {
    private static let badToken = #"{"error":"invalid_token","error_description":"Missing or invalid token"}"#

    @Test("S3-05, S3-06 rs_no_token_401_without_error_code: nobody who tried nothing is told what is wrong with it")
    func nothing() async throws {
        let api = try TestAPI()
        for request in [TestAPI.request(), TestAPI.request("Basic YTpi"), TestAPI.request("Digest x")] {
            let answer = try #require(await api.answer(to: request))
            #expect(answer.status == 401 && answer.error == nil && answer.text == "Missing or invalid token")
            #expect(answer.values("WWW-Authenticate") == [#"Bearer realm="api""#, #"DPoP realm="api", algs="ES256 EdDSA""#])
            #expect(answer.bodyText == #"{"error_description":"Missing or invalid token"}"#)
        }
    }

    @Test("S3-06 any failing step is “Missing or invalid token” and sounds like every other")
    func oneText() async throws {
        let api = try TestAPI()
        let none = Fixture.forged(header: #"{"typ":"at+jwt","alg":"none"}"#, claims: Fixture.claimsText) { _ in [] }
        let tokens = [
            "junk", none, try Fixture.token(by: Fixture.signer(8)), try Fixture.token { $0["iss"] = .string("https://evil.example") },
            try Fixture.token { $0["aud"] = .string("x") }, try Fixture.token { $0["exp"] = .moment(Fixture.now - 60) },
            try Fixture.token { $0["nbf"] = .moment(Fixture.now + 60) }, try Fixture.token(as: .idToken), try Fixture.token { $0["sub"] = nil },
        ]
        for token in tokens {
            let answer = try #require(await api.answer(to: TestAPI.request("Bearer \(token)")))
            #expect(answer.status == 401 && answer.bodyText == Self.badToken)
            #expect(
                answer.values("WWW-Authenticate") == [
                    #"Bearer realm="api", error="invalid_token", error_description="Missing or invalid token""#
                ])
            #expect(answer.values("Cache-Control") == ["no-store"])
        }
    }

    @Test("rs_two_auth_headers, and what is no form of the field: 400 invalid_request")
    func badRequests() async throws {
        let api = try TestAPI()
        let token = try Fixture.token()
        let requests: [(ResourceRequest, ResourceRefusal.BadRequest)] = [
            (TestAPI.request("Bearer \(token)", more: [("authorization", "Bearer \(token)")]), .severalCredentials),
            (TestAPI.request("Bearer"), .malformed), (TestAPI.request("Bearer "), .malformed), (TestAPI.request("Bearer \(token) x"), .malformed),
            (TestAPI.request("Bearer  \(token)"), .malformed), (TestAPI.request("Bearer \(token), Bearer \(token)"), .malformed),
            (TestAPI.request(target: "/timesheets?access_token=\(token)"), .credentialInAddress),
            (TestAPI.request("Bearer \(token)", target: "/timesheets?a=b&ACCESS%5FTOKEN=x"), .credentialInAddress),
        ]
        for (request, reason) in requests {
            #expect(await api.refusal(of: request) == .badRequest(reason))
            let answer = try #require(await api.answer(to: request))
            #expect(answer.status == 400 && answer.error == "invalid_request" && answer.text == "Missing or invalid token")
        }
    }

    @Test("S3-44 rs_bearer_lowercase_ok: the scheme in any spelling", arguments: ["Bearer", "bearer", "BEARER"])
    func spelling(scheme: String) async throws {
        let token = try Fixture.token()
        #expect(try await TestAPI().refusal(of: TestAPI.request("\(scheme) \(token)")) == nil)
    }

    @Test("S3-12 rs_scope_missing_403_with_scope_param: 403 says what the route needs")
    func forbidden() async throws {
        let api = try TestAPI()
        let request = TestAPI.request("Bearer \(try Fixture.token())")
        let answer = try #require(await api.answer(to: request, .allScopes("read:timesheets", "approve:timesheets")))
        #expect(answer.status == 403 && answer.bodyText == #"{"error":"insufficient_scope","error_description":"Forbidden"}"#)
        #expect(
            answer.values("WWW-Authenticate") == [
                #"Bearer realm="api", error="insufficient_scope", error_description="Forbidden", scope="approve:timesheets read:timesheets""#
            ])
        let other = try #require(await api.answer(to: request, .permission("approve")))
        #expect(other.status == 403 && other.values("WWW-Authenticate").first?.contains("scope=") == false)
    }

    @Test("RFC 9470 §3: a login that is too weak or too old is told which would do")
    func stepUp() async throws {
        let token = try Fixture.token()
        let api = try TestAPI()
        let answer = try #require(
            await api.answer(to: TestAPI.request("Bearer \(token)"), .login(acr: ["phr", "gold"], maxAge: 5)))
        #expect(answer.status == 401 && answer.error == "insufficient_user_authentication")
        let challenge = try #require(answer.values("WWW-Authenticate").first)
        #expect(challenge.hasPrefix(#"Bearer realm="api", error="insufficient_user_authentication", "#))
        #expect(challenge.hasSuffix(#", acr_values="phr gold", max_age="5""#))
    }

    @Test("RFC 9449 §7.1: who came by DPoP is asked by DPoP, and so is who should have")
    func scheme() async throws {
        let api = try TestAPI()
        let token = try Fixture.boundToken()
        for request in [TestAPI.request("DPoP \(token)"), TestAPI.request("DPoP \(token)", proofs: ["x"])] {
            let answer = try #require(await api.answer(to: request))
            #expect(answer.status == 401 && answer.error == "invalid_dpop_proof" && answer.text == "Missing or invalid token")
            #expect(answer.values("WWW-Authenticate").allSatisfy { $0.hasPrefix("DPoP ") && $0.hasSuffix(#"algs="ES256 EdDSA""#) })
        }
        let bearer = try #require(await api.answer(to: TestAPI.request("Bearer \(token)")))
        #expect(bearer.error == "invalid_token" && bearer.values("WWW-Authenticate").map { $0.prefix(5) } == ["DPoP "])
    }

    @Test("An outage is 503 with a time to come back, and no word about the token")
    func outage() async throws {
        let token = try Fixture.token()
        let api = try TestAPI()
        await api.provider.goes()
        let answer = try #require(await api.answer(to: TestAPI.request("Bearer \(token)")))
        #expect(answer.status == 503 && answer.values("Retry-After") == ["2"] && answer.values("WWW-Authenticate").isEmpty)
        #expect(!answer.bodyText.contains("oken"))
    }

    @Test("What a developer put into a policy or a realm can't break out of its quotes")
    func quotes() async throws {
        let token = try Fixture.token()
        let api = try TestAPI { $0.realm = "my \"api\"\r\nSet-Cookie: a\\b ä" }
        let answer = try #require(await api.answer(to: TestAPI.request("Bearer \(token)"), .scope("a\", error=\"x")))
        let challenge = try #require(answer.values("WWW-Authenticate").first)
        #expect(challenge.hasPrefix(#"Bearer realm="my \"api\"Set-Cookie: a\\b ", error="#))
        #expect(challenge.hasSuffix(#", scope="a\", error=\"x""#))
    }
}
