import OstiaryProtocol
import OstiaryResource
import OstiaryTokens
import Testing

/// What people try with a JWT whose key they don't have (RFC 8725 §2).
@Suite("Tokens that pretend")
struct JWTConfusionTests {
    @Test("rs_alg_none: nothing without a signature, however it is spelled", arguments: ["none", "None", "NONE", "nOnE", ""])
    func none(name: String) async throws {
        let header = #"{"typ":"at+jwt","alg":"\#(name)"}"#
        for signature: [UInt8] in [[], [1, 2, 3]] {
            let token = Fixture.forged(header: header, claims: Fixture.claimsText) { _ in signature }
            #expect(try await TestAPI().refusal(token) == .token(.algorithmUnknown))
        }
    }

    @Test("S0-21 rs_alg_confusion_HS256_with_pubkey: a public key is no shared secret, in whatever form it is used as one")
    func publicKeyAsSecret() async throws {
        let key = try Fixture.signer().key
        guard case .p256(let point) = key.material else { throw JWKError.typeUnknown }
        for (secret, id) in [(point, key.id), (key.json.encoded, key.id), (Array((key.id ?? "").utf8), key.id)] {
            let header = JSONObject(["typ": .string("at+jwt"), "alg": .string("HS256"), "kid": id.map { .string($0) }])
            let token = Fixture.forged(header: String(decoding: header.encoded, as: UTF8.self), claims: Fixture.claimsText) {
                Array(HMACSHA256.tag(over: $0, key: secret))
            }
            #expect(try await TestAPI().refusal(token) == .token(.algorithmUnknown))
        }
    }

    @Test("A header may not name another algorithm than its key's: an EdDSA token by the kid of an ES256 key")
    func otherAlgorithm() async throws {
        let id = try Fixture.signer().key.id
        let api = try TestAPI(keys: [Fixture.signer().key, Fixture.edwards().key])
        #expect(
            try await api.refusal(Fixture.tokenWithHeader(by: Fixture.edwards(), { $0["kid"] = id.map { .string($0) } })) == .token(.keyUnknown))
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["alg"] = .string("EdDSA") })) == .token(.keyUnknown))
    }

    @Test("An empty signature, one of zeros, one by a stranger, one over other claims")
    func signatures() async throws {
        let api = try TestAPI()
        let good = try Fixture.token().split(separator: ".").map(String.init)
        #expect(await api.refusal("\(good[0]).\(good[1]).") == .token(.signatureEmpty))
        #expect(await api.refusal("\(good[0]).\(good[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))") == .token(.signatureWrong))
        let id = try Fixture.signer().key.id
        #expect(
            try await api.refusal(Fixture.tokenWithHeader(by: Fixture.signer(8), { $0["kid"] = id.map { .string($0) } }))
                == .token(.signatureWrong))
        let other = Base64URL.encode(Fixture.claims { $0["sub"] = .string("bob") }.encoded)
        #expect(await api.refusal("\(good[0]).\(other).\(good[2])") == .token(.signatureWrong))
    }

    @Test("The kid of another issuer's key: that its key is good elsewhere makes no token good here")
    func otherIssuer() async throws {
        let stranger = try Fixture.signer(9)
        let api = try TestAPI()
        #expect(try await api.refusal(Fixture.token(by: stranger)) == .token(.keyUnknown))
        #expect(try await api.refusal(Fixture.token(by: stranger) { $0["iss"] = .string("https://other.example") }) == .token(.keyUnknown))
        // And who shares a key with it is still somebody else.
        #expect(try await api.refusal(Fixture.token { $0["iss"] = .string("https://other.example") }) == .token(.issuerWrong))
    }

    @Test("rs_jwk_in_header_ignored, rs_jku_ignored: a key, or where one is, that a token brings along is not looked at, and nobody is called")
    func keyInHeader() async throws {
        let stranger = try Fixture.signer(9)
        let api = try TestAPI()
        _ = try await api.caller(try Fixture.token())
        let before = await api.provider.calls.count
        for name in ["jku", "x5u"] {
            let token = try Fixture.tokenWithHeader(by: stranger) { header in
                header[name] = .string("https://evil.example/keys")
                header["jwk"] = .object(stranger.key.json)
                header["kid"] = nil
            }
            #expect(await api.refusal(token) == .token(.signatureWrong))
        }
        #expect(await api.provider.calls.count == before)
        // The right key with such a header is the right key: it is ignored, not refused.
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["jku"] = .string("https://evil.example/keys") })) == nil)
    }

    @Test("rs_crit_header: extensions that have to be understood are not, known or not", arguments: ["b64", "exp", "http://x.example"])
    func critical(name: String) async throws {
        #expect(try await TestAPI().refusal(Fixture.tokenWithHeader({ $0["crit"] = .strings([name]) })) == .token(.criticalExtension))
    }

    @Test("rs_duplicate_json_keys: a member that is there twice, in the header or in the claims, refuses the whole")
    func twice() async throws {
        let signer = try Fixture.signer()
        let id = signer.key.id ?? ""
        let header = #"{"typ":"at+jwt","alg":"ES256","kid":"\#(id)"}"#
        let claims = String(Fixture.claimsText.dropLast())
        let sign = { (input: [UInt8]) in try signer.signature(over: input) }
        let api = try TestAPI()
        #expect(try await api.refusal(Fixture.forged(header: header, claims: claims + "}", signature: sign)) == nil)
        for (header, claims) in [
            (#"{"alg":"none",\#(header.dropFirst())"#, claims + "}"), (header, claims + #","sub":"bob"}"#),
            (header, claims + #","x":{"a":1,"a":2}}"#),
        ] {
            #expect(try await api.refusal(Fixture.forged(header: header, claims: claims, signature: sign)) == .token(.memberTwice))
        }
    }

    @Test("rs_id_token_refused, rs_typ_JWT_refused_strict: what the provider signs for others opens nothing, though key and issuer are right")
    func otherKinds() async throws {
        let api = try TestAPI()
        for type in [TokenType.idToken, .logoutToken, .clientAssertion, .dpopProof] {
            #expect(try await api.refusal(Fixture.token(as: type)) == .token(.typeWrong))
        }
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["typ"] = nil })) == .token(.typeMissing))
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["typ"] = .string("APPLICATION/AT+JWT") })) == nil)
    }

    @Test("Of a provider without RFC 9068: `JWT` and no type are taken, azp and scp too, and the marks of ID and logout tokens refused")
    func plain() async throws {
        let api = try TestAPI { $0.provider?.jwt?.profile = .plain }
        func plain(_ change: (inout JSONObject) -> Void) throws -> String {
            try Fixture.token(as: .idToken) { claims in
                for name in ["client_id", "jti", "iat", "scope"] { claims[name] = nil }
                claims["azp"] = .string("their-app")
                claims["scp"] = .strings(["read:timesheets"])
                change(&claims)
            }
        }
        let caller = try await api.caller(try plain { _ in })
        #expect(caller.clientID == "their-app" && caller.scopes == ["read:timesheets"])
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["typ"] = nil })) == nil)
        #expect(try await api.refusal(Fixture.token()) == nil)
        for mark in ["nonce", "at_hash", "c_hash"] {
            #expect(try await api.refusal(plain { $0[mark] = .string("x") }) == .token(.notAnAccessToken))
        }
        #expect(try await api.refusal(plain { $0["events"] = .object(JSONObject()) }) == .token(.notAnAccessToken))
        #expect(try await api.refusal(plain { $0["sub"] = nil }) == .token(.claimMissing("sub")))
        #expect(try await api.refusal(plain { $0["aud"] = .string("their-app") }) == .token(.audienceWrong))
        #expect(try await api.refusal(Fixture.token(as: .logoutToken)) == .token(.typeWrong))
    }

    @Test("S3-07 rs_token_1MB: what is no JWT by its form is refused before anybody is asked for a key")
    func form() async throws {
        let api = try TestAPI()
        #expect(await api.refusal(String(repeating: "a", count: 1_000_000) + ".b.c") == .token(.tooLong))
        #expect(await api.refusal("a.b") == .token(.notThreeParts))
        #expect(await api.refusal("a.b.c.d") == .token(.notThreeParts))
        #expect(await api.refusal("#.b.c") == .token(.notBase64URL))
        #expect(await api.refusal("e30=.e30.AAAA") == .token(.notBase64URL))
        #expect(await api.refusal("e30.e30.AAAA") == .token(.algorithmMissing))
        #expect(await api.refusal("W10.e30.AAAA") == .token(.notJSON))
        #expect(await api.provider.calls.isEmpty)
    }

    @Test("kid-absent-single-jwks, kid-absent-multiple-jwks, rs_kid_path_injection: a kid is compared, and nothing is looked up by it")
    func names() async throws {
        let nameless = try Fixture.tokenWithHeader({ $0["kid"] = nil })
        #expect(try await TestAPI(keys: [Fixture.signer().key, Fixture.edwards().key]).refusal(nameless) == nil)
        #expect(try await TestAPI(keys: [Fixture.signer().key, Fixture.signer(8).key]).refusal(nameless) == .token(.keyUnknown))
        let api = try TestAPI()
        for id in ["../../../dev/null", "' OR 1=1 --", "https://evil.example/keys", String(repeating: "k", count: 5_000)] {
            #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["kid"] = .string(id) })) == .token(.keyUnknown))
        }
        #expect(try await api.refusal(Fixture.tokenWithHeader({ $0["kid"] = .integer(7) })) == .token(.headerMemberWrong("kid")))
        #expect(Set(await api.provider.calls.map(\.address)) == [FixtureProvider.metadata, FixtureProvider.keys])
    }
}
