import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("JWK, RFC 7517 and RFC 7638")
struct JWKTests {
    private func key(_ text: String) throws -> JWK { try JWK(try JSONReader.object(Array(text.utf8))) }

    private func error(_ text: String) throws -> JWKError? {
        do { _ = try key(text) } catch let error as JWKError { return error }
        return nil
    }

    private static let point =
        #""kty":"EC","crv":"P-256","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA""#
    private static let modulus =
        "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXA"
        + "rwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lF"
        + "d2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"

    @Test("The thumbprints of the RFCs: RFC 7638 §3.1, RFC 8037 A.3, RFC 9449 §6.1")
    func thumbprints() throws {
        #expect(
            try key(#"{"kty":"RSA","n":"\#(Self.modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#).thumbprint.text
                == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(
            try key(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#).thumbprint.text
                == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        #expect(try key("{\(Self.point)}").thumbprint.text == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test("A phone names its key by the thumbprint that the key of its proofs has", arguments: [UInt8(1), 7, 200])
    func named(_ seed: UInt8) throws {
        let key = try LocalSigner(.es256, stored: [UInt8](repeating: seed, count: 32)).key
        guard case .p256(let point) = key.material else {
            Issue.record("ES256 has P-256 keys")
            return
        }
        #expect(Thumbprint(TokenKey(publicKey: point)) == key.thumbprint)
    }

    @Test("A key is read from what is published of it, whatever else stands there")
    func roundTrip() throws {
        for signer in [try TokenFixture.es256(), try TokenFixture.edDSA(), try RSAFixture.signer()] {
            var published = signer.key.json
            published["x5t"] = .string("anything")
            #expect(try JWK(published) == signer.key)
            #expect(published["use"] == .string("sig"))
            #expect(signer.key.id == signer.key.thumbprint.text)
            #expect(published["d"] == nil)
        }
    }

    @Test("dpop_jwk_private: whoever sends a private or a shared key keeps none", arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateKeys(member: String) throws {
        #expect(try error("{\(Self.point),\"\(member)\":\"AA\"}") == .privateKey)
    }

    @Test("Other kinds, curves, uses and algorithms are refused, each for its reason")
    func refused() throws {
        #expect(try error(#"{"crv":"P-256"}"#) == .typeMissing)
        #expect(try error(#"{"kty":"oct"}"#) == .typeUnknown)
        #expect(try error(#"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#) == .curveUnknown)
        #expect(try error(#"{"kty":"OKP","crv":"X25519","x":"AA"}"#) == .curveUnknown)
        #expect(try error("{\(Self.point),\"use\":\"enc\"}") == .notForSignatures)
        #expect(try error("{\(Self.point),\"key_ops\":[\"encrypt\"]}") == .notForSignatures)
        #expect(try error("{\(Self.point),\"key_ops\":[\"verify\"]}") == nil)
        #expect(try error("{\(Self.point),\"alg\":\"EdDSA\"}") == .memberWrong("alg"))
        #expect(try error(#"{"kty":"EC","crv":"P-256","x":"AA"}"#) == .memberWrong("x"))
        #expect(try error(#"{"kty":"OKP","crv":"Ed25519"}"#) == .memberMissing("x"))
    }

    @Test("What is not on the curve is no key, and neither is the neutral point of Ed25519")
    func points() throws {
        let zeros = Base64URL.encode([UInt8](repeating: 0, count: 32))
        #expect(try error(#"{"kty":"EC","crv":"P-256","x":"\#(zeros)","y":"\#(zeros)"}"#) == .memberWrong("x"))
        let neutral = Base64URL.encode([1] + [UInt8](repeating: 0, count: 31))
        #expect(try error(#"{"kty":"OKP","crv":"Ed25519","x":"\#(neutral)"}"#) == .memberWrong("x"))
    }

    @Test("An RSA key has 2048 to 4096 bits and an odd exponent above one")
    func rsaSizes() throws {
        let short = Base64URL.encode([UInt8](repeating: 0xC1, count: 128))
        // 2047 bits, in as many bytes as 2048.
        let almost = Base64URL.encode([0x7F] + [UInt8](repeating: 0xC1, count: 255))
        #expect(try error(#"{"kty":"RSA","n":"\#(almost)","e":"AQAB"}"#) == .memberWrong("n"))
        let long = Base64URL.encode([UInt8](repeating: 0xC1, count: 513))
        #expect(try error(#"{"kty":"RSA","n":"\#(short)","e":"AQAB"}"#) == .memberWrong("n"))
        #expect(try error(#"{"kty":"RSA","n":"\#(long)","e":"AQAB"}"#) == .memberWrong("n"))
        #expect(try error(#"{"kty":"RSA","n":"\#(Self.modulus)","e":"AQ"}"#) == .memberWrong("e"))
        #expect(try error(#"{"kty":"RSA","n":"\#(Self.modulus)","e":"AQAA"}"#) == .memberWrong("e"))
    }

    @Test("A set leaves out the keys that it does not know, and is no set without a list")
    func sets() throws {
        let text = #"{"keys":[{"kty":"oct","k":"AA"},{\#(Self.point),"kid":"one"},7]}"#
        #expect(try JWKSet(json: Array(text.utf8)).keys.map(\.id) == ["one"])
        #expect(throws: JSONError.notAnObject) { try JWKSet(json: Array(#"{"keys":{}}"#.utf8)) }
        let published = JWKSet([try TokenFixture.es256().key, try TokenFixture.edDSA().key])
        #expect(try JWKSet(json: published.json.encoded) == published)
    }

    @Test("Signers print no key")
    func printing() throws {
        for signer in [try TokenFixture.es256(), try TokenFixture.edDSA(), try RSAFixture.signer()] {
            #expect("\(signer)".contains("‹secret›"))
            #expect(Mirror(reflecting: signer).children.isEmpty)
        }
    }
}
