import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("Userinfo, OpenID Connect Core §5.3")
struct UserInfoTests {
    private typealias Fixture = ProviderFixture
    private static let endpoint = "https://login.example/userinfo"

    private func claims(
        _ fixture: ProviderFixture, _ authorization: [String], proofs: [String] = [], isInQuery: Bool = false
    ) async throws -> JSONObject {
        let use = DPoPUse(method: "GET", target: try Fixture.target(Self.endpoint))
        return try await fixture.services.userInfo.claims(
            for: try PresentedToken(authorization: authorization, isInQuery: isInQuery), proofs: proofs, use, at: Fixture.server, now: fixture.now)
    }

    private func refusal(
        _ fixture: ProviderFixture, _ authorization: [String], proofs: [String] = [], isInQuery: Bool = false
    ) async throws -> ResourceRefusal? {
        do { _ = try await claims(fixture, authorization, proofs: proofs, isInQuery: isInQuery) } catch let refusal as ResourceRefusal {
            return refusal
        }
        return nil
    }

    @Test("ui_sub_equals_id_token: it says what the scopes let the client see")
    func good() async throws {
        let fixture = try await ProviderFixture()
        let response = try await fixture.tokens()
        let claims = try await claims(fixture, ["Bearer \(response.accessToken)"])
        #expect(claims["sub"] == (try fixture.idClaims(response.idToken)["sub"]))
        #expect(claims["email"] == .string("alice@example.com") && claims["email_verified"] == .bool(true) && claims["name"] == .string("Alice"))
        let lean = try await fixture.tokens(["scope": "openid"]).accessToken
        #expect(try await self.claims(fixture, ["bearer \(lean)"]).names == ["sub"])
    }

    @Test("ui_no_token, ui_bad_token, each with its WWW-Authenticate; no token has no error")
    func noToken() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens().accessToken
        #expect(try await refusal(fixture, []) == .noToken)
        #expect(ResourceRefusal.noToken.challenge(to: nil) == #"Bearer realm="userinfo", DPoP algs="ES256 EdDSA""#)
        #expect(try await refusal(fixture, ["Bearer x"]) == .tokenWrong)
        #expect(ResourceRefusal.tokenWrong.challenge(to: .bearer) == #"Bearer realm="userinfo", error="invalid_token""#)
        // RFC 9449 §7.1: whoever came with a proof is answered in that scheme.
        #expect(ResourceRefusal.tokenWrong.challenge(to: .dpop) == #"DPoP algs="ES256 EdDSA", error="invalid_token""#)
        #expect(ResourceRefusal.proof(.nonceNeeded).challenge(to: .dpop) == #"DPoP algs="ES256 EdDSA", error="use_dpop_nonce""#)
        #expect(ResourceRefusal.tokenWrong.status == 401)
        #expect(try await refusal(fixture, ["Bearer \(token)", "Bearer \(token)"]) == .badRequest)
        #expect(try await refusal(fixture, ["Bearer \(token) more"]) == .badRequest)
        #expect(try await refusal(fixture, ["Bearer "]) == .badRequest)
        #expect(try await refusal(fixture, ["Basic abc"]) == .noToken)
    }

    @Test("ui_token_in_query_refused: it would stand in a log")
    func query() async throws {
        let fixture = try await ProviderFixture()
        #expect(try await refusal(fixture, [], isInQuery: true) == .badRequest)
        #expect(try await refusal(fixture, ["Bearer \(try await fixture.tokens().accessToken)"], isInQuery: true) == .badRequest)
    }

    @Test("ui_token_in_body: a form may bring it (RFC 6750 §2.2), one token in one place")
    func body() async throws {
        let token = try PresentedToken(authorization: [], isInQuery: false, posted: ["abc"])
        #expect(token.text == "abc" && token.scheme == .bearer)
        for (authorization, isInQuery, posted) in [
            (["Bearer abc"], false, ["abc"]), ([], false, ["abc", "abc"]), ([], true, ["abc"]), ([], false, [""]),
        ] as [([String], Bool, [String])] {
            #expect(throws: ResourceRefusal.badRequest) {
                try PresentedToken(authorization: authorization, isInQuery: isInQuery, posted: posted)
            }
        }
    }

    @Test("A token without openid, and one of a machine, say nobody's name")
    func scope() async throws {
        let fixture = try await ProviderFixture()
        let plain = try await fixture.tokens(["scope": "read:timesheets"]).accessToken
        #expect(try await refusal(fixture, ["Bearer \(plain)"]) == .tokenWrong)
        let machine = try await fixture.answer(fixture.call(["grant_type": "client_credentials"], authorization: [Fixture.batchBasic])).accessToken
        #expect(try await refusal(fixture, ["Bearer \(machine)"]) == .tokenWrong)
        let identity = try await fixture.tokens(["scope": "openid", "audience": nil]).accessToken
        #expect(try await refusal(fixture, ["Bearer \(identity)"]) == nil)
    }

    @Test("dpop_token_as_bearer_refused, dpop_other_key, dpop_jti_replay, dpop_scheme_case_insensitive at userinfo")
    func bound() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens(proofs: [try fixture.proof(51)]).accessToken
        func proof(_ key: UInt8, id: String? = nil, for token: String) throws -> String {
            try fixture.proof(key, id: id, address: Self.endpoint, method: "GET", accessToken: token)
        }
        #expect(try await refusal(fixture, ["Bearer \(token)"]) == .tokenWrong)
        #expect(try await refusal(fixture, ["Bearer \(token)"], proofs: [try proof(51, for: token)]) == .tokenWrong)
        #expect(try await refusal(fixture, ["DPoP \(token)"]) == .proof(.missing))
        #expect(try await refusal(fixture, ["DPoP \(token)"], proofs: [try proof(52, for: token)]) == .tokenWrong)
        #expect(try await refusal(fixture, ["DPoP \(token)"], proofs: [try proof(51, for: "other")]) == .proof(.accessTokenHashWrong))
        #expect(try await refusal(fixture, ["dpop \(token)"], proofs: [try proof(51, id: "one", for: token)]) == nil)
        #expect(try await refusal(fixture, ["DPoP \(token)"], proofs: [try proof(51, id: "one", for: token)]) == .proof(.replayed))
        let bearer = try await fixture.tokens().accessToken
        #expect(try await refusal(fixture, ["DPoP \(bearer)"], proofs: [try proof(51, for: bearer)]) == .tokenWrong)
    }

    @Test("Who logs out is told about no more, at once")
    func ended() async throws {
        let fixture = try await ProviderFixture()
        let token = try await fixture.tokens(["scope": "openid"]).accessToken
        fixture.memory.change { $0.sessions = [:] }
        #expect(try await refusal(fixture, ["Bearer \(token)"]) == .tokenWrong)
    }
}
