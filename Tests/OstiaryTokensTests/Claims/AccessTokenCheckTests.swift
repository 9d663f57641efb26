import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("AccessTokenCheck, RFC 9068 §4")
struct AccessTokenCheckTests {
    private typealias Fixture = TokenFixture
    private let now = Fixture.now + 10

    private func check() throws -> AccessTokenCheck {
        AccessTokenCheck(issuer: Fixture.issuer, audience: Fixture.api, keys: JWKSet([try Fixture.es256().key]))
    }

    private func refusal(of claims: JSONObject, proof: Thumbprint? = nil, at moment: Instant? = nil) throws -> AccessTokenRefusal? {
        let text = try Fixture.es256().sign(claims, as: .accessToken)
        do { _ = try check().claims(of: text, proof: proof, at: moment ?? now) } catch let refusal as AccessTokenRefusal { return refusal }
        return nil
    }

    @Test("S0-20 a good token says who, for what and how they logged in")
    func good() throws {
        let text = try Fixture.es256().sign(Fixture.accessToken().json, as: .accessToken)
        #expect(try check().claims(of: text, proof: nil, at: now) == Fixture.accessToken())
    }

    @Test("S0-21 the signature's algorithm is one that the API expects")
    func algorithm() throws {
        let strict = AccessTokenCheck(issuer: Fixture.issuer, audience: Fixture.api, keys: JWKSet([try Fixture.es256().key]), algorithms: [.edDSA])
        let text = try Fixture.es256().sign(Fixture.accessToken().json, as: .accessToken)
        #expect(throws: AccessTokenRefusal.token(.algorithmNotAllowed)) { try strict.claims(of: text, proof: nil, at: now) }
    }

    @Test("rs_aud_wrong, rs_aud_array_ok: one of its audiences is the API, to the byte")
    func audiences() throws {
        #expect(try refusal(of: Fixture.accessToken { $0.audiences = ["https://other.example", Fixture.api] }.json) == nil)
        for audience in ["https://other.example", Fixture.api + "/", Fixture.api.uppercased(), "\(Fixture.api) https://other.example"] {
            #expect(try refusal(of: Fixture.accessToken { $0.audiences = [audience] }.json) == .audienceWrong)
        }
        var none = Fixture.accessToken().json
        none["aud"] = .array([])
        #expect(try refusal(of: none) == .claims(.wrong("aud")))
    }

    @Test("rs_iss_trailing_slash: the issuer is compared to the byte")
    func issuer() throws {
        for issuer in [Fixture.issuer + "/", "https://login.example.org", "HTTPS://login.example"] {
            #expect(try refusal(of: Fixture.accessToken { $0.issuer = issuer }.json) == .issuerWrong)
        }
    }

    @Test("rs_exp_past_leeway, rs_nbf_future, rs_iat_future: clocks may differ by five seconds")
    func times() throws {
        let end = Fixture.accessToken().expiresAt
        #expect(try refusal(of: Fixture.accessToken().json, at: end + 4) == nil)
        #expect(try refusal(of: Fixture.accessToken().json, at: end + 5) == .claims(.expired))
        var early = Fixture.accessToken().json
        early["nbf"] = .moment(now + 5)
        #expect(try refusal(of: early) == nil)
        early["nbf"] = .moment(now + 6)
        #expect(try refusal(of: early) == .claims(.notYetValid))
        #expect(try refusal(of: Fixture.accessToken { $0.issuedAt = now + 6 }.json) == .claims(.issuedLater))
    }

    @Test("What RFC 9068 requires has to be there", arguments: ["iss", "sub", "aud", "exp", "iat", "jti", "client_id"])
    func required(name: String) throws {
        var claims = Fixture.accessToken().json
        claims[name] = nil
        #expect(try refusal(of: claims) == .claims(.missing(name)))
        claims[name] = .bool(true)
        #expect(try refusal(of: claims) == .claims(.wrong(name)))
    }

    @Test("Times that are no times are refused")
    func badTimes() throws {
        for value in [JSONValue.string("1800000300"), .integer(-1), .fraction(1e300), .fraction(-0.5), .null] {
            var claims = Fixture.accessToken().json
            claims["exp"] = value
            #expect(try refusal(of: claims) == .claims(.wrong("exp")))
        }
        var fraction = Fixture.accessToken().json
        fraction["exp"] = .fraction(Double(now.seconds) + 100.5)
        #expect(try refusal(of: fraction) == nil)
    }

    @Test("rs_scope_prefix_not_enough: a scope is one word of the list")
    func scopes() {
        let claims = Fixture.accessToken { $0.scope = "read:timesheetsX openid" }
        #expect(!claims.allows("read:timesheets"))
        #expect(claims.allows("openid"))
        #expect(!claims.allows("read:timesheetsX openid"))
        #expect(!claims.allows(""))
    }

    @Test("dpop_token_as_bearer_refused, dpop_other_key: a token that is bound to a key opens nothing without it")
    func bound() throws {
        let (key, thief) = (try Fixture.es256(1).key.thumbprint, try Fixture.es256(2).key.thumbprint)
        let claims = Fixture.accessToken { $0.boundKey = key }.json
        #expect(try refusal(of: claims, proof: key) == nil)
        #expect(try refusal(of: claims) == .proofMissing)
        #expect(try refusal(of: claims, proof: thief) == .keyWrong)
        #expect(try refusal(of: Fixture.accessToken().json, proof: key) == .proofUnexpected)
    }

    @Test("A token that is bound by something that is unknown here is no bearer token")
    func unknownBinding() throws {
        for confirmation in [JSONObject(), JSONObject(["x5t#S256": .string("AA")]), JSONObject(["jkt": .string("short")])] {
            var claims = Fixture.accessToken().json
            claims["cnf"] = .object(confirmation)
            #expect(try refusal(of: claims) == .claims(.wrong("cnf")))
        }
    }

    @Test("Claims of an operator's own are added, and never in the place of ours")
    func custom() throws {
        let custom = JSONObject(["https://api.example.com/email": .string("a@example.com"), "sub": .string("mallory"), "scope": .string("approve")])
        let json = Fixture.accessToken { $0.custom = custom }.json
        #expect(json["https://api.example.com/email"] == .string("a@example.com"))
        #expect(json["sub"] == .string("alice"))
        #expect(json["scope"] == .string("read:timesheets create:timesheets"))
    }
}
