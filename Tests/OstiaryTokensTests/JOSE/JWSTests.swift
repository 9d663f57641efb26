import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("Compact JWS, RFC 7515 and RFC 8725")
struct JWSTests {
    private typealias Fixture = TokenFixture

    private static let payload = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let point =
        #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#

    @Test("The example of RFC 7515 A.3 is verified, and no other key verifies it")
    func es256Example() throws {
        let text =
            "eyJhbGciOiJFUzI1NiJ9.\(Self.payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let key = try JWK(try JSONReader.object(Array(Self.point.utf8)))
        let token = try UnverifiedJWS(compact: text).verified(by: JWKSet([key]), as: .idToken)
        #expect(token.claims["iss"] == .string("joe"))
        #expect(Fixture.refusal(of: text, by: JWKSet([try Fixture.es256().key]), as: .idToken) == .signatureWrong)
    }

    @Test("What another library signed with RS256 is verified, and what we sign is the same")
    func rs256() throws {
        let signer = try RSAFixture.signer()
        #expect(signer.key.id == RSAFixture.thumbprint)
        #expect(try signer.sign(JSONObject(["sub": .string("alice")]), as: .accessToken) == RSAFixture.token)
        let token = try UnverifiedJWS(compact: RSAFixture.token).verified(by: JWKSet([signer.key]), as: .accessToken)
        #expect(token.claims["sub"] == .string("alice"))
    }

    @Test("What each signer signs is verified by its key, in the form that JWS has")
    func roundTrip() throws {
        for signer in [try Fixture.es256(), try Fixture.edDSA(), try RSAFixture.signer()] {
            let text = try signer.sign(Fixture.accessToken().json, as: .accessToken)
            #expect(Fixture.refusal(of: text, by: JWKSet([signer.key])) == nil)
            #expect(try UnverifiedJWS(compact: text).header.keyID == signer.key.id)
            let signature = try #require(Base64URL.decode(text.split(separator: ".")[2]))
            #expect(signature.count == (signer.key.algorithm == .rs256 ? 256 : 64))
        }
    }

    @Test("No flipped bit of a token is left unseen")
    func flippedBits() throws {
        let signer = try Fixture.edDSA()
        let keys = JWKSet([signer.key])
        let bytes = Array(try signer.sign(JSONObject(["sub": .string("alice")]), as: .accessToken).utf8)
        for index in bytes.indices {
            for bit in 0..<7 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(Fixture.refusal(of: String(decoding: changed, as: UTF8.self), by: keys) != nil)
            }
        }
    }

    @Test("No prefix of a token is a token, and neither is one with more behind it")
    func prefixes() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        let text = try signer.sign(Fixture.accessToken().json, as: .accessToken)
        for count in 0..<text.utf8.count { #expect(Fixture.refusal(of: String(text.prefix(count)), by: keys) != nil) }
        for tail in [".", "A", "=", " ", "\n", ".AAAA"] { #expect(Fixture.refusal(of: text + tail, by: keys) != nil) }
    }

    @Test(
        "rs_alg_none, rs_alg_confusion_HS256_with_pubkey: an algorithm that is not one of ours is unknown, with any signature",
        arguments: ["none", "None", "HS256", "ES384", "PS256", "es256", ""])
    func algorithms(name: String) throws {
        let signer = try Fixture.es256()
        let text = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"\#(name)"}"#, payload: "{}", by: signer)
        #expect(Fixture.refusal(of: text, by: JWKSet([signer.key])) == .algorithmUnknown)
    }

    @Test("The attack with an empty signature: it is no signature, whatever the header says")
    func emptySignature() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        let text = try signer.sign(Fixture.accessToken().json, as: .accessToken)
        let parts = text.split(separator: ".")
        #expect(Fixture.refusal(of: "\(parts[0]).\(parts[1]).", by: keys) == .signatureEmpty)
        let none = Base64URL.encode(Array(#"{"typ":"at+jwt","alg":"none"}"#.utf8))
        #expect(Fixture.refusal(of: "\(none).\(parts[1]).", by: keys) == .algorithmUnknown)
        let zeros = Base64URL.encode([UInt8](repeating: 0, count: 64))
        #expect(Fixture.refusal(of: "\(parts[0]).\(parts[1]).\(zeros)", by: keys) == .signatureWrong)
    }

    @Test("rs_crit_header: what has to be understood and is not, is refused")
    func critical() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        for crit in [#"["b64"]"#, "[]", #""b64""#] {
            let text = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"ES256","crit":\#(crit)}"#, payload: "{}", by: signer)
            #expect(Fixture.refusal(of: text, by: keys) == .criticalExtension)
        }
    }

    @Test("rs_jwk_in_header_ignored, rs_jku_ignored: keys that a token brings or points to make nothing valid")
    func ownKeys() throws {
        let (ours, thief) = (try Fixture.es256(1), try Fixture.es256(2))
        let keys = JWKSet([ours.key])
        let jwk = String(decoding: thief.key.json.encoded, as: UTF8.self)
        for extra in ["\"jwk\":\(jwk)", #""jku":"https://thief.example/keys""#, #""x5u":"https://thief.example/x""#, #""x5c":["AA"]"#] {
            let header = #"{"typ":"at+jwt","alg":"ES256",\#(extra)}"#
            #expect(Fixture.refusal(of: try Fixture.forged(header: header, payload: "{}", by: thief), by: keys) == .signatureWrong)
            #expect(Fixture.refusal(of: try Fixture.forged(header: header, payload: "{}", by: ours), by: keys) == nil)
        }
    }

    @Test("rs_kid_path_injection: a kid is compared and nothing else; one that nobody has names no key")
    func keyNames() throws {
        let (one, other) = (try Fixture.es256(1), try Fixture.es256(2))
        let keys = JWKSet([one.key, other.key])
        for kid in ["../../etc/passwd", "' OR 1=1 --", "", other.key.id ?? ""] {
            let text = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"ES256","kid":"\#(kid)"}"#, payload: "{}", by: one)
            #expect(Fixture.refusal(of: text, by: keys) == (kid == other.key.id ? .signatureWrong : .keyUnknown))
        }
        let number = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"ES256","kid":7}"#, payload: "{}", by: one)
        #expect(Fixture.refusal(of: number, by: keys) == .headerMemberWrong("kid"))
    }

    @Test("Without a kid the only key of the algorithm is meant; where there are two, none is")
    func noKeyName() throws {
        let (one, other) = (try Fixture.es256(1), try Fixture.es256(2))
        let text = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"ES256"}"#, payload: "{}", by: one)
        #expect(Fixture.refusal(of: text, by: JWKSet([one.key, try Fixture.edDSA().key])) == nil)
        #expect(Fixture.refusal(of: text, by: JWKSet([one.key, other.key])) == .keyUnknown)
    }

    @Test("A key verifies by its own algorithm only, and an algorithm that is not allowed not at all")
    func keyAlgorithm() throws {
        let signer = try Fixture.es256()
        let text = try Fixture.forged(header: #"{"typ":"at+jwt","alg":"EdDSA","kid":"\#(signer.key.id ?? "")"}"#, payload: "{}", by: signer)
        #expect(Fixture.refusal(of: text, by: JWKSet([signer.key])) == .keyUnknown)
        let good = try signer.sign(JSONObject(), as: .accessToken)
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try UnverifiedJWS(compact: good).verified(by: JWKSet([signer.key]), as: .accessToken, allowing: [.edDSA])
        }
    }

    @Test("rs_typ_JWT_refused_strict, rs_id_token_refused: no token is taken for one of another type")
    func types() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        let all: [TokenType] = [.accessToken, .idToken, .logoutToken, .dpopProof, .clientAssertion]
        for type in all {
            let text = try signer.sign(JSONObject(), as: type)
            for other in all {
                // An assertion may call itself JWT, as an ID token does; it is known by its key, which is its client's.
                let fits = type.name == other.name || type.name == "JWT" && other.name == TokenType.clientAssertion.name
                #expect((Fixture.refusal(of: text, by: keys, as: other) == nil) == fits, "\(type) as \(other)")
            }
        }
    }

    @Test("A type may be spelled as a media type and in any case; a missing one is refused where it tells tokens apart")
    func typeSpelling() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+jwt"] {
            #expect(Fixture.refusal(of: try Fixture.forged(header: #"{"typ":"\#(type)","alg":"ES256"}"#, payload: "{}", by: signer), by: keys) == nil)
        }
        let untyped = try Fixture.forged(header: #"{"alg":"ES256"}"#, payload: "{}", by: signer)
        #expect(Fixture.refusal(of: untyped, by: keys) == .typeMissing)
        #expect(Fixture.refusal(of: untyped, by: keys, as: .idToken) == nil)
    }

    @Test("rs_token_1MB: a token that is longer than any is not looked at")
    func length() {
        #expect(Fixture.refusal(of: String(repeating: "a", count: 1_048_576), by: JWKSet([])) == .tooLong)
        #expect(Fixture.refusal(of: String(repeating: "a", count: UnverifiedJWS.mostBytes), by: JWKSet([])) == .notThreeParts)
    }

    @Test("Header and payload are JSON objects, each name once, in base64url without padding")
    func forms() throws {
        let signer = try Fixture.es256()
        let keys = JWKSet([signer.key])
        func refusal(_ header: String, _ payload: String) throws -> JOSEError? {
            Fixture.refusal(of: try Fixture.forged(header: header, payload: payload, by: signer), by: keys)
        }
        #expect(try refusal(#"{"alg":"none","typ":"at+jwt","alg":"ES256"}"#, "{}") == .header(.duplicateName))
        #expect(try refusal(#"{"typ":"at+jwt","alg":"ES256"}"#, #"{"sub":"a","sub":"b"}"#) == .payload(.duplicateName))
        #expect(try refusal(#"["ES256"]"#, "{}") == .header(.notAnObject))
        #expect(try refusal(#"{"typ":"at+jwt","alg":"ES256"}"#, "[]") == .payload(.notAnObject))
        #expect(try refusal(#"{"typ":"at+jwt"}"#, "{}") == .algorithmMissing)
        #expect(Fixture.refusal(of: "e30=.e30.AA", by: keys) == .notBase64URL)
        #expect(Fixture.refusal(of: "e30.e30", by: keys) == .notThreeParts)
        #expect(Fixture.refusal(of: "e30.e30.AA.AA.AA", by: keys) == .notThreeParts)
    }
}
