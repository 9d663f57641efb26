import OstiaryProtocol
import OstiaryTokens
import Testing

@Suite("DPoP proofs, RFC 9449 §4.3")
struct DPoPProofTests {
    private typealias Fixture = TokenFixture
    private let now = Fixture.now

    private func use(accessToken: String? = nil, nonces: DPoPNonces? = nil) throws -> DPoPUse {
        DPoPUse(method: "POST", target: try #require(HTTPTarget("https://login.example/oauth/token")), accessToken: accessToken, nonces: nonces)
    }

    private func claims(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var claims = JSONObject([
            "jti": .string("proof-1"), "htm": .string("POST"), "htu": .string("https://login.example/oauth/token"), "iat": .moment(now),
        ])
        change(&claims)
        return claims
    }

    private func header(_ signer: any TokenSigner, _ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        var jwk = signer.key.json
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        var header = JSONObject(["typ": .string("dpop+jwt"), "alg": .string(signer.key.algorithm.rawValue), "jwk": .object(jwk)])
        change(&header)
        return header
    }

    private func proof(
        _ changeHeader: (inout JSONObject) -> Void = { _ in }, claiming changeClaims: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        let signer = try Fixture.es256()
        return try signer.sign(claims(changeClaims), header: header(signer, changeHeader))
    }

    private func refusal(of fields: [String], for use: DPoPUse? = nil, at moment: Instant? = nil) throws -> DPoPRefusal? {
        do {
            guard let proof = try UnverifiedDPoPProof(fields: fields) else { return .missing }
            _ = try proof.verified(for: try use ?? self.use(), at: moment ?? now)
        } catch let refusal as DPoPRefusal { return refusal }
        return nil
    }

    @Test("The example of RFC 9449 §4.1 is a proof of the key whose thumbprint §6.1 has")
    func example() throws {
        let text =
            "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5Ijoi"
            + "OVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6"
            + "Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK7"
            + "0nfbV37xRZT3Lg"
        let use = DPoPUse(method: "POST", target: try #require(HTTPTarget("https://server.example.com/token")))
        let unverified = try #require(try UnverifiedDPoPProof(fields: [text]))
        let proof = try unverified.verified(for: use, at: Instant(1_562_262_620))
        #expect(proof.thumbprint.text == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.goodUntil == Instant(1_562_262_676))
    }

    @Test("dpop_final_sanity_ok, dpop_extra_claims_ok: a good proof is good, by ES256 and EdDSA, whatever else it says")
    func good() throws {
        #expect(try refusal(of: [try proof()]) == nil)
        #expect(try refusal(of: [try proof(claiming: { $0["extra"] = .array([.null]) })]) == nil)
        #expect(try refusal(of: [try proof({ $0["kid"] = .string("mine") })]) == nil)
        let edwards = try Fixture.edDSA()
        #expect(try refusal(of: [try edwards.sign(claims(), header: header(edwards))]) == nil)
    }

    @Test("dpop_no_proof, dpop_two_headers, dpop_not_jwt")
    func fields() throws {
        #expect(try refusal(of: []) == .missing)
        #expect(try refusal(of: [try proof(), try proof()]) == .several)
        #expect(try refusal(of: ["\(try proof()),\(try proof())"]) == .several)
        #expect(try refusal(of: ["proof"]) == .token(.notThreeParts))
        #expect(try refusal(of: [""]) == .token(.notThreeParts))
    }

    @Test("dpop_typ_missing, dpop_typ_wrong, dpop_alg_missing, dpop_alg_none, dpop_alg_symmetric")
    func headers() throws {
        #expect(try refusal(of: [try proof({ $0["typ"] = nil })]) == .token(.typeMissing))
        #expect(try refusal(of: [try proof({ $0["typ"] = .string("JWT") })]) == .token(.typeWrong))
        #expect(try refusal(of: [try proof({ $0["alg"] = nil })]) == .token(.algorithmMissing))
        for name in ["none", "HS256"] { #expect(try refusal(of: [try proof({ $0["alg"] = .string(name) })]) == .token(.algorithmUnknown)) }
        #expect(try refusal(of: [try proof({ $0["alg"] = .string("RS256") })]) == .token(.algorithmNotAllowed))
    }

    @Test("An RSA key makes no proof: no phone keeps one where nobody reads it")
    func rsa() throws {
        let signer = try RSAFixture.signer()
        #expect(try refusal(of: [try signer.sign(claims(), header: header(signer))]) == .token(.algorithmNotAllowed))
    }

    @Test("dpop_jwk_missing, dpop_jwk_private")
    func keys() throws {
        #expect(try refusal(of: [try proof({ $0["jwk"] = nil })]) == .keyMissing)
        #expect(try refusal(of: [try proof({ $0["jwk"] = .string("key") })]) == .key(.typeMissing))
        let withPrivate = try proof { header in
            var jwk = header["jwk"]?.object ?? JSONObject()
            jwk["d"] = .string("AA")
            header["jwk"] = .object(jwk)
        }
        #expect(try refusal(of: [withPrivate]) == .key(.privateKey))
    }

    @Test("dpop_bad_signature: a proof with a key that did not sign it")
    func signature() throws {
        let (signer, other) = (try Fixture.es256(1), try Fixture.es256(2))
        #expect(try refusal(of: [try signer.sign(claims(), header: header(other))]) == .token(.signatureWrong))
    }

    @Test("dpop_jti_missing, dpop_htm_missing, dpop_htu_missing, dpop_iat_missing", arguments: ["jti", "htm", "htu", "iat"])
    func missing(name: String) throws {
        #expect(try refusal(of: [try proof(claiming: { $0[name] = nil })]) == .claims(.missing(name)))
    }

    @Test("dpop_htm_wrong, dpop_htu_other_url, dpop_htu_query_fragment_ignored")
    func request() throws {
        for method in ["GET", "post", "POST "] { #expect(try refusal(of: [try proof(claiming: { $0["htm"] = .string(method) })]) == .methodWrong) }
        for target in ["https://login.example/oauth/par", "https://evil.example/oauth/token", "oauth/token"] {
            #expect(try refusal(of: [try proof(claiming: { $0["htu"] = .string(target) })]) == .targetWrong)
        }
        #expect(try refusal(of: [try proof(claiming: { $0["htu"] = .string("https://LOGIN.example:443/oauth/token?x#y") })]) == nil)
    }

    @Test("dpop_iat_10s_ok, dpop_iat_1h_refused: a minute before and after")
    func times() throws {
        let text = try proof()
        for moment in [now - 60, now - 10, now + 10, now + 60] { #expect(try refusal(of: [text], at: moment) == nil) }
        #expect(try refusal(of: [text], at: now + 61) == .tooOld)
        #expect(try refusal(of: [text], at: now - 61) == .tooNew)
        #expect(try refusal(of: [text], at: now + 3_600) == .tooOld)
        #expect(try refusal(of: [text], at: now - 3_600) == .tooNew)
    }

    @Test("dpop_ath_missing, dpop_ath_wrong: at a resource a proof is for one token")
    func accessTokenHash() throws {
        let use = try use(accessToken: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        // The value of RFC 9449 §7.1.
        let hash = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
        #expect(try refusal(of: [try proof(claiming: { $0["ath"] = .string(hash) })], for: use) == nil)
        #expect(try refusal(of: [try proof()], for: use) == .accessTokenHashMissing)
        #expect(try refusal(of: [try proof(claiming: { $0["ath"] = .string(String(hash.reversed())) })], for: use) == .accessTokenHashWrong)
    }

    @Test("A nonce is asked for where there is one, and is good for two periods")
    func nonces() throws {
        let nonces = DPoPNonces(key: [UInt8](repeating: 1, count: 32))
        let others = DPoPNonces(key: [UInt8](repeating: 2, count: 32))
        let use = try use(nonces: nonces)
        func proof(_ nonce: String) throws -> String { try self.proof(claiming: { $0["nonce"] = .string(nonce) }) }
        #expect(try refusal(of: [try self.proof()], for: use) == .nonceNeeded)
        #expect(try refusal(of: [try proof(nonces.current(at: now))], for: use) == nil)
        #expect(try refusal(of: [try proof(nonces.current(at: now - DPoPNonces.period))], for: use) == nil)
        #expect(try refusal(of: [try proof(nonces.current(at: now - 2 * DPoPNonces.period))], for: use) == .nonceNeeded)
        #expect(try refusal(of: [try proof(nonces.current(at: now + DPoPNonces.period))], for: use) == .nonceNeeded)
        #expect(try refusal(of: [try proof(others.current(at: now))], for: use) == .nonceNeeded)
        #expect("\(nonces)" == "DPoPNonces ‹secret›")
    }

    @Test("dpop_jti_replay: a proof is remembered by its key and its jti, so that nobody spends another's")
    func spent() throws {
        func spentAs(_ seed: UInt8, _ id: String) throws -> [UInt8] {
            let signer = try Fixture.es256(seed)
            let text = try signer.sign(claims { $0["jti"] = .string(id) }, header: header(signer))
            return try #require(try UnverifiedDPoPProof(fields: [text])).verified(for: try use(), at: now).spentAs
        }
        #expect(try spentAs(1, "a") == spentAs(1, "a"))
        #expect(try spentAs(1, "a") != spentAs(1, "b"))
        #expect(try spentAs(1, "a") != spentAs(2, "a"))
    }
}
