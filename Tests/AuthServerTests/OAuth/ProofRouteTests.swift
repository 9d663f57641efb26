import HTTPTypes
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Proofs of possession at the endpoints")
struct ProofRouteTests {
    private typealias Proof = OAuthFixture.Proof

    @Test("dpop: every proof that is none is invalid_dpop_proof, and spends no code; dpop_final_sanity_ok")
    func wrong() async throws {
        try await OAuthFixture().run { client in
            let now = client.fixture.now
            let code = try await client.fixture.code().text
            let good = try Proof(id: "good").text(at: now)
            let wrong: [(String, [String])] = [
                ("dpop_two_headers", [good, good]), ("two in one field", ["\(good), \(good)"]), ("dpop_not_jwt", ["nothing"]),
                ("dpop_typ_wrong", [try Proof(type: "JWT").text(at: now)]), ("dpop_alg_none", [try Proof(algorithm: "none").text(at: now)]),
                ("dpop_alg_symmetric", [try Proof(algorithm: "HS256").text(at: now)]),
                ("dpop_jwk_private", [try Proof(tellsPrivateKey: true).text(at: now)]), ("dpop_jti_missing", [try Proof(id: nil).text(at: now)]),
                ("dpop_htm_wrong", [try Proof(method: "GET").text(at: now)]),
                ("dpop_htu_other_url", [try Proof(address: OAuthFixture.origin + "/userinfo").text(at: now)]),
                ("dpop_iat_+1h_refused", [try Proof(age: -3_600).text(at: now)]), ("dpop_iat_-1h_refused", [try Proof(age: 3_600).text(at: now)]),
                ("dpop_bad_signature", [String(good.dropLast(8)) + "AAAAAAAA"]),
            ]
            for (name, proofs) in wrong {
                let answer = try await client.exchange(code, proofs: proofs)
                #expect(answer.isError("invalid_dpop_proof") && answer.headers[.dpopNonce] == nil, "\(name)")
            }
            #expect(try await client.exchange(code, proofs: [good]).status == 200)
        }
    }

    /// A good proof with one member of its header or of its claims changed.
    private struct Change {
        let name: String
        var inHeader: String?
        var inClaims: String?
        var value: JSONValue?

        func apply(to proof: String) throws -> String {
            let parts = proof.split(separator: ".").map { Base64URL.decode($0) ?? [] }
            var (header, claims) = (try JSONReader.object(parts[0]), try JSONReader.object(parts[1]))
            if let inHeader { header[inHeader] = value }
            if let inClaims { claims[inClaims] = value }
            return try LocalSigner(.es256, stored: Sample.bytes(51)).sign(claims, header: header)
        }

        static func wrong(at now: Instant) -> [Change] {
            ["typ", "alg", "jwk"].map { (name: String) in Change(name: "dpop_\(name)_missing", inHeader: name) }
                + ["jti", "htm", "htu", "iat"].map { (name: String) in Change(name: "dpop_\(name)_missing", inClaims: name) } + [
                    Change(name: "dpop_typ_wrong", inHeader: "typ", value: .string("JWT")),
                    Change(name: "dpop_alg_none", inHeader: "alg", value: .string("none")),
                    Change(name: "dpop_htm_wrong", inClaims: "htm", value: .string("DELETE")),
                    Change(name: "dpop_htu_other_url", inClaims: "htu", value: .string("https://thief.example/oauth/token")),
                    Change(name: "dpop_iat_-1h_refused", inClaims: "iat", value: .integer(Int64(now.seconds) - 3_600)),
                    Change(name: "dpop_iat_+1h_refused", inClaims: "iat", value: .integer(Int64(now.seconds) + 3_600)),
                ]
        }
    }

    @Test("dpop_typ_missing, dpop_alg_missing, dpop_jwk_missing, dpop_jti/htm/htu/iat_missing, dpop_extra_claims_ok: alike wherever proofs are read")
    func everywhere() async throws {
        try await OAuthFixture().run { client in
            let now = client.fixture.now
            let code = try await client.fixture.code().text
            let token = try await client.accessToken(6, proofs: [try Proof(id: "first").text(at: now)])
            for place in ["/oauth/token", "/oauth/par", "/userinfo"] {
                let ask = { @Sendable (proof: String) async throws -> OAuthClient.Answer in
                    switch place {
                    case "/oauth/token": try await client.exchange(code, proofs: [proof])
                    case "/oauth/par": try await RequestRouteTests.push(by: client, proofs: [proof])
                    default: try await client.send(.get, place, authorization: ["DPoP \(token)"], proofs: [proof])
                    }
                }
                let isUserInfo = place == "/userinfo"
                let good = try Proof(
                    method: isUserInfo ? "GET" : "POST", address: OAuthFixture.origin + place, id: place, accessToken: isUserInfo ? token : nil
                ).text(at: now)
                for change in Change.wrong(at: now) {
                    let answer = try await ask(try change.apply(to: good))
                    #expect(answer.error == "invalid_dpop_proof" && answer.status == (isUserInfo ? 401 : 400), "\(change.name) at \(place)")
                }
                let extra = Change(name: "dpop_extra_claims_ok", inClaims: "extra", value: .array([.null]))
                #expect(try await (200...201).contains(ask(try extra.apply(to: good)).status), "\(place)")
            }
        }
    }

    @Test("dpop_htu_query_fragment_ignored, dpop_htu_case_and_default_port, dpop_iat_±10s_ok")
    func spellings() async throws {
        try await OAuthFixture().run { client in
            let addresses = ["https://LOGIN.example:443/oauth/token", "https://login.example/oauth/token?a=b#c"]
            for (number, proof) in (addresses.map { Proof(address: $0) } + [Proof(age: 10), Proof(age: -10)]).enumerated() {
                var proof = proof
                proof.id = "proof \(number)"
                let code = try await client.fixture.code(UInt8(number + 5)).text
                #expect(try await client.exchange(code, proofs: [try proof.text(at: client.fixture.now)]).status == 200, "\(proof)")
            }
        }
    }

    @Test("dpop_jti_replay: of 32 calls at once with one proof one has an answer")
    func replay() async throws {
        try await OAuthFixture().run { client in
            let token = try await client.exchange(try await client.fixture.code(offline: true).text).json["refresh_token"]?.string
            let proof = try Proof().text(at: client.fixture.now)
            let count = await winners(of: 32) { _ in (try? await client.refresh(token, proofs: [proof]))?.status == 200 }
            #expect(count == 1)
            #expect(try await client.refresh(token, proofs: [proof]).isError("invalid_dpop_proof"))
        }
    }

    @Test("dpop_code_bound_jkt_mismatch: a code that names a key is redeemed with a proof by it")
    func boundCode() async throws {
        try await OAuthFixture().run { client in
            let fixture = client.fixture
            let key = try OAuthFixture.thumbprint()
            let other = try await client.exchange(
                try await fixture.code(6, boundKey: key).text, proofs: [try Proof(key: 52).text(at: fixture.now)])
            #expect(other.isError("invalid_grant"))
            #expect(try await client.exchange(try await fixture.code(7, boundKey: key).text).isError("invalid_dpop_proof"))
            let good = try await client.exchange(try await fixture.code(8, boundKey: key).text, proofs: [try Proof().text(at: fixture.now)])
            #expect(good.status == 200)
        }
    }

    @Test("rt_without_dpop_proof, rt_wrong_key: a refresh token of a key is nothing without it")
    func boundRefresh() async throws {
        try await OAuthFixture().run { client in
            let now = client.fixture.now
            let first = try await client.exchange(try await client.fixture.code(offline: true).text, proofs: [try Proof(id: "1").text(at: now)])
            let token = first.json["refresh_token"]?.string
            #expect(try await client.refresh(token).isError("invalid_dpop_proof"))
            #expect(try await client.refresh(token, proofs: [try Proof(id: "2", key: 52).text(at: now)]).isError("invalid_grant"))
            let again = try await client.refresh(token, proofs: [try Proof(id: "3").text(at: now)])
            #expect(again.status == 200 && again.json["refresh_token"]?.string == token)
        }
    }

    @Test("Where nonces are asked for the first proof is answered with one, each later answer has one, and the one that it had still does")
    func nonces() async throws {
        try await OAuthFixture(asksNonce: true).run { client in
            let now = client.fixture.now
            let code = try await client.fixture.code().text
            let asked = try await client.exchange(code, proofs: [try Proof(id: "1").text(at: now)])
            let nonce = try #require(asked.headers[.dpopNonce])
            #expect(asked.isError("use_dpop_nonce") && nonce.utf8.count == 22)
            #expect(try await client.exchange(code, proofs: [try Proof(id: "2", nonce: "made up").text(at: now)]).isError("use_dpop_nonce"))
            let good = try await client.exchange(code, proofs: [try Proof(id: "3", nonce: nonce).text(at: now)])
            #expect(good.status == 200 && good.headers[.dpopNonce] == nonce)
            // Who sends no proof is told none.
            #expect(try await client.refresh("x").headers[.dpopNonce] == nil)
            let token = try #require(good.json["access_token"]?.string)
            let info = Proof(method: "GET", address: OAuthFixture.origin + "/userinfo", id: "4", accessToken: token)
            let unasked = try await client.send(.get, "/userinfo", authorization: ["DPoP \(token)"], proofs: [try info.text(at: now)])
            #expect(unasked.status == 401 && unasked.headers[.wwwAuthenticate]?.contains("use_dpop_nonce") == true)
            #expect(unasked.headers[.dpopNonce] == nonce)
        }
    }
}
