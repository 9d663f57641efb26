import OstiaryProtocol
import OstiaryTokens
import Testing

/// How they are written and read. What an API asks of them is OstiaryResource's, and tested there.
@Suite("Claims of an access token, RFC 9068 §2.2")
struct AccessTokenClaimsTests {
    private typealias Fixture = TokenFixture

    private func error(of claims: JSONObject) -> ClaimError? {
        do { _ = try AccessTokenClaims(claims) } catch { return error }
        return nil
    }

    @Test("What is written is read again, through a signature")
    func written() throws {
        let bound = Fixture.accessToken { $0.boundKey = try? Fixture.es256(1).key.thumbprint }
        for claims in [Fixture.accessToken(), bound, Fixture.accessToken { $0.audiences = ["https://other.example", Fixture.api] }] {
            let signer = try Fixture.es256()
            let text = try signer.sign(claims.json, as: .accessToken)
            #expect(try AccessTokenClaims(try UnverifiedJWS(compact: text).verified(by: JWKSet([signer.key]), as: .accessToken).claims) == claims)
        }
    }

    @Test("What RFC 9068 requires has to be there, and be of its type", arguments: ["iss", "sub", "aud", "exp", "iat", "jti", "client_id"])
    func required(name: String) throws {
        var claims = Fixture.accessToken().json
        claims[name] = nil
        #expect(error(of: claims) == .missing(name))
        claims[name] = .bool(true)
        #expect(error(of: claims) == .wrong(name))
    }

    @Test("Times that are no times are refused")
    func badTimes() throws {
        for value in [JSONValue.string("1800000300"), .integer(-1), .fraction(1e300), .fraction(-0.5), .null] {
            var claims = Fixture.accessToken().json
            claims["exp"] = value
            #expect(error(of: claims) == .wrong("exp"))
        }
        var fraction = Fixture.accessToken().json
        fraction["exp"] = .fraction(Double(Fixture.now.seconds) + 100.5)
        #expect(try AccessTokenClaims(fraction).expiresAt == Fixture.now + 100)
    }

    @Test("A scope is one word of the list")
    func scopes() {
        let claims = Fixture.accessToken { $0.scope = "read:timesheetsX openid" }
        #expect(!claims.allows("read:timesheets"))
        #expect(claims.allows("openid"))
        #expect(!claims.allows("read:timesheetsX openid"))
        #expect(!claims.allows(""))
    }

    @Test("What is bound by something that is unknown here is not read as if it were bound to nothing")
    func unknownBinding() throws {
        for confirmation in [JSONObject(), JSONObject(["x5t#S256": .string("AA")]), JSONObject(["jkt": .string("short")])] {
            var claims = Fixture.accessToken().json
            claims["cnf"] = .object(confirmation)
            #expect(error(of: claims) == .wrong("cnf"))
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
