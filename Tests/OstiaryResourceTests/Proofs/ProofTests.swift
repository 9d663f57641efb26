import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Proofs of possession at an API, RFC 9449 §4.3 and §7")
struct ProofTests {
    private func refusal(_ proofs: [String], token: String? = nil, method: String = "GET", target: String = "/timesheets") async throws
        -> ResourceRefusal?
    {
        try await TestAPI().refusal(
            of: TestAPI.request("DPoP \(try token ?? Fixture.boundToken())", proofs: proofs, method: method, target: target))
    }

    private func fault(_ change: (inout JSONObject) -> Void) async throws -> ProofFault? {
        let token = try Fixture.boundToken()
        return try await fault(of: try Fixture.proof(for: token, change), token)
    }

    private func headerFault(_ change: (inout JSONObject) -> Void) async throws -> ProofFault? {
        let token = try Fixture.boundToken()
        return try await fault(of: try Fixture.proofWithHeader(for: token, change), token)
    }

    private func fault(of proof: String, _ token: String) async throws -> ProofFault? {
        guard let refusal = try await refusal([proof], token: token) else { return nil }
        guard case .proof(let fault) = refusal else { throw refusal }
        return fault
    }

    @Test("dpop_final_sanity_ok, dpop_extra_claims_ok, dpop_scheme_case_insensitive: a good proof with its token, in any spelling of the scheme")
    func good() async throws {
        let token = try Fixture.boundToken()
        for scheme in ["DPoP", "dpop", "DPOP"] {
            let request = TestAPI.request("\(scheme) \(token)", proofs: [try Fixture.proof(for: token) { $0["extra"] = .array([.null]) }])
            let caller = try await TestAPI().verifier.caller(of: request)
            let key = try Fixture.phone().key.thumbprint.text
            #expect(caller.subject == "alice" && caller.keyThumbprint == key)
        }
        let edwards = try Fixture.edwards()
        let other = try Fixture.boundToken(to: edwards)
        #expect(try await refusal([Fixture.proof(for: other, by: edwards)], token: other) == nil)
    }

    @Test("dpop_no_proof, dpop_two_headers, dpop_not_jwt")
    func fields() async throws {
        let proof = try Fixture.proof(for: try Fixture.boundToken())
        #expect(try await refusal([]) == .proof(.missing))
        #expect(try await refusal([proof, proof]) == .proof(.several))
        #expect(try await refusal(["\(proof),\(proof)"]) == .proof(.several))
        #expect(try await refusal(["proof"]) == .proof(.token(.notThreeParts)))
    }

    @Test("dpop_typ_missing, dpop_typ_wrong, dpop_alg_missing, dpop_alg_none, dpop_alg_symmetric, dpop_jwk_missing, dpop_jwk_private")
    func headers() async throws {
        #expect(try await headerFault({ $0["typ"] = nil }) == .token(.typeMissing))
        #expect(try await headerFault({ $0["typ"] = .string("JWT") }) == .token(.typeWrong))
        #expect(try await headerFault({ $0["alg"] = nil }) == .token(.algorithmMissing))
        for name in ["none", "HS256"] { #expect(try await headerFault({ $0["alg"] = .string(name) }) == .token(.algorithmUnknown)) }
        #expect(try await headerFault({ $0["alg"] = .string("RS256") }) == .token(.algorithmNotAllowed))
        #expect(try await headerFault({ $0["jwk"] = nil }) == .keyMissing)
        let withPrivate = try await headerFault({ header in
            var jwk = header["jwk"]?.object ?? JSONObject()
            jwk["d"] = .string("AA")
            header["jwk"] = .object(jwk)
        })
        #expect(withPrivate == .keyWrong)
    }

    @Test("dpop_bad_signature: a proof with a key that did not sign it")
    func signature() async throws {
        let thief = try Fixture.signer(66).key.json
        var jwk = thief
        for name in ["use", "alg", "kid"] { jwk[name] = nil }
        #expect(try await headerFault({ $0["jwk"] = .object(jwk) }) == .token(.signatureWrong))
    }

    @Test("dpop_jti_missing, dpop_htm_missing, dpop_htu_missing, dpop_iat_missing, dpop_ath_missing, dpop_ath_wrong")
    func claims() async throws {
        for name in ["jti", "htm", "htu", "iat"] { #expect(try await fault { $0[name] = nil } == .claimMissing(name)) }
        #expect(try await fault { $0["ath"] = nil } == .accessTokenHashMissing)
        #expect(try await fault { $0["ath"] = .string(Base64URL.encode(SHA(Array("another".utf8)))) } == .accessTokenHashWrong)
    }

    @Test("dpop_htm_wrong, dpop_htu_other_url, dpop_htu_query_fragment_ignored, dpop_htu_case_and_default_port: for this request and no other")
    func request() async throws {
        #expect(try await fault { $0["htm"] = .string("POST") } == .methodWrong)
        for target in ["https://api.example.com/approvals", "https://evil.example/timesheets", "http://api.example.com/timesheets", "/timesheets"] {
            #expect(try await fault { $0["htu"] = .string(target) } == .targetWrong)
        }
        for target in [
            "https://api.example.com/timesheets?week=34#x", "HTTPS://API.example.com:443/timesheets", "https://api.example.com/time%73heets",
        ] {
            #expect(try await fault { $0["htu"] = .string(target) } == nil)
        }
        let token = try Fixture.boundToken()
        #expect(try await refusal([Fixture.proof(for: token)], token: token, target: "/timesheets?week=34") == nil)
    }

    @Test("What the request says of its host is not believed: a proof for another site stays one")
    func host() async throws {
        let token = try Fixture.boundToken()
        let proof = try Fixture.proof(for: token) { $0["htu"] = .string("https://evil.example/timesheets") }
        let request = TestAPI.request(
            "DPoP \(token)", proofs: [proof], more: [("Host", "evil.example"), ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "https")])
        #expect(try await TestAPI().refusal(of: request) == .proof(.targetWrong))
    }

    @Test("Behind the base comes a path: a target that would make it another host or another port has no proof, nor has one with a fragment")
    func targets() async throws {
        let token = try Fixture.boundToken()
        for (target, address) in [
            (".evil.example/x", "https://api.example.com.evil.example/x"), (":1/x", "https://api.example.com:1/x"),
            ("m://x", "https://api.example.comm://x"), ("m/x", "https://api.example.comm/x"), ("@x/", "https://x/"), ("", Fixture.base),
            ("?a=b", Fixture.base), ("*", "https://api.example.com*"), ("/timesheets#x", Fixture.base + "/timesheets"),
            ("/timesheets?a=b#x", Fixture.base + "/timesheets"), ("/timesheets#/../approvals", Fixture.base + "/timesheets"),
        ] {
            let proof = try Fixture.proof(for: token) { $0["htu"] = .string(address) }
            #expect(try await refusal([proof], token: token, target: target) == .proof(.targetWrong), "\(target)")
        }
    }

    @Test("A path that a proxy takes away is part of what proofs are for")
    func base() async throws {
        let token = try Fixture.boundToken()
        let api = try TestAPI { $0.base = "https://example.com/api/" }
        let proof = try Fixture.proof(for: token) { $0["htu"] = .string("https://example.com/api/timesheets") }
        #expect(await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [proof])) == nil)
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token)])) == .proof(.targetWrong))
    }

    @Test("dpop_iat_1h_refused, dpop_iat_10s_ok: a minute before and after, to the second")
    func times() async throws {
        let now = Fixture.now
        for moment in [now - 60, now - 10, now + 10, now + 60] { #expect(try await fault { $0["iat"] = .moment(moment) } == nil) }
        for moment in [now - 61, now - 3_600] { #expect(try await fault { $0["iat"] = .moment(moment) } == .tooOld) }
        for moment in [now + 61, now + 3_600] { #expect(try await fault { $0["iat"] = .moment(moment) } == .tooNew) }
    }

    @Test("dpop_jti_replay: a proof is good once, and of 50 that come at the same time one is let in")
    func replay() async throws {
        let api = try TestAPI()
        let token = try Fixture.boundToken()
        let request = TestAPI.request("DPoP \(token)", proofs: [try Fixture.proof(for: token)])
        let refusals = await withTaskGroup(of: ResourceRefusal?.self) { group in
            for _ in 0..<50 { group.addTask { await api.refusal(of: request) } }
            return await group.reduce(into: [ResourceRefusal?]()) { $0.append($1) }
        }
        #expect(refusals.count { $0 == nil } == 1 && refusals.count { $0 == .proof(.replayed) } == 49)
        // Another of the same name is the same, and it is remembered for as long as it is good.
        api.clock.advance(60)
        let again = try Fixture.proof(for: token) { $0["iat"] = .moment(Fixture.now + 30) }
        #expect(await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [again])) == .proof(.replayed))
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token, id: "proof-2")])) == nil)
    }

    @Test("A proof is not spent by a request that is refused for its token: who sent it may send it again with a good one")
    func spentLast() async throws {
        let api = try TestAPI()
        let token = try Fixture.boundToken()
        let request = TestAPI.request("DPoP \(token)", proofs: [try Fixture.proof(for: token)])
        await api.provider.goes()
        #expect(await api.refusal(of: request) == .outage(.unreachable))
        await api.provider.comesBack()
        api.clock.advance(2)
        #expect(await api.refusal(of: request) == nil)
    }

    @Test("dpop_token_as_bearer_refused, dpop_other_key: a token that is bound to a key opens nothing without it")
    func possession() async throws {
        let api = try TestAPI()
        let (token, thief) = (try Fixture.boundToken(), try Fixture.signer(66))
        #expect(await api.refusal(token) == .token(.proofMissing))
        // Also not with its proof, where the scheme is the one of tokens that anybody may use.
        #expect(try await api.refusal(of: TestAPI.request("Bearer \(token)", proofs: [Fixture.proof(for: token)])) == .token(.proofMissing))
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token, by: thief)])) == .token(.keyWrong))
        let free = try Fixture.token()
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(free)", proofs: [Fixture.proof(for: free)])) == .token(.proofUnexpected))
    }

    @Test("Where nonces are asked for, a proof without one is answered with one, and the answer to a good one brings the next")
    func nonces() async throws {
        let api = try TestAPI { settings in
            settings.proofs = ProofSettings(nonceKey: [UInt8](repeating: 5, count: 32))
            settings.proofs.needNonce = true
        }
        let token = try Fixture.boundToken()
        func request(_ nonce: String?, id: String) throws -> ResourceRequest {
            TestAPI.request("DPoP \(token)", proofs: [try Fixture.proof(for: token, id: id) { $0["nonce"] = nonce.map { .string($0) } }])
        }
        let first = try request(nil, id: "a")
        let answer = try #require(await api.answer(to: first))
        #expect(answer.status == 401 && answer.error == "use_dpop_nonce")
        #expect(answer.values("WWW-Authenticate").first?.contains(#"error="use_dpop_nonce""#) == true)
        let nonce = try #require(answer.values("DPoP-Nonce").first)
        #expect(try await api.refusal(of: request("made-up", id: "a")) == .proof(.nonceNeeded))
        let good = try request(nonce, id: "a")
        #expect(await api.refusal(of: good) == nil)
        #expect(api.verifier.proofNonce(for: good) == nonce)
        #expect(api.verifier.proofNonce(for: TestAPI.request("Bearer x")) == nil)
        // Another process with the same key takes it, one with another does not.
        let other = try TestAPI { settings in
            settings.proofs = ProofSettings(nonceKey: [UInt8](repeating: 6, count: 32))
            settings.proofs.needNonce = true
        }
        #expect(try await other.refusal(of: request(nonce, id: "b")) == .proof(.nonceNeeded))
        #expect(try TestAPI().verifier.proofNonce(for: good) == nil)
    }

    @Test(
        "A proof that ends while the provider is asked is too old, though another has made the memory forget it meanwhile",
        .timeLimit(.minutes(10)))
    func endsMeanwhile() async throws {
        let api = try TestAPI { $0.provider?.introspection = IntrospectionSettings(clientID: "api", clientSecret: "secret") }
        let (opaque, jwt, key) = ("2YotnFZFEjr1zCsicMWpAA", try Fixture.boundToken(), try Fixture.phone().key.thumbprint.text)
        await api.provider.answers(
            FixtureProvider.introspection,
            Fixture.claims { claims in
                claims["active"] = .bool(true)
                claims["cnf"] = .object(JSONObject(["jkt": .string(key)]))
            })
        let spent = TestAPI.request("DPoP \(opaque)", proofs: [try Fixture.proof(for: opaque)])
        #expect(await api.refusal(of: spent) == nil)
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(jwt)", proofs: [Fixture.proof(for: jwt, id: "proof-2")])) == nil)
        await api.provider.holds()
        let replay = Task { await api.refusal(of: spent) }
        while await api.provider.count(FixtureProvider.introspection) < 2 { await Task.yield() }
        api.clock.advance(200)
        // Nobody is asked for this one. What was over goes as it comes.
        let later = try Fixture.proof(for: jwt, id: "proof-3") { $0["iat"] = .moment(Fixture.now + 200) }
        #expect(await api.refusal(of: TestAPI.request("DPoP \(jwt)", proofs: [later])) == nil)
        await api.provider.releases()
        #expect(await replay.value == .proof(.tooOld))
    }

    @Test("A memory is told to keep a proof half a minute longer than it is good")
    func reserve() async throws {
        struct Kept: SpentProofs {
            func spend(_ name: [UInt8], until end: UInt64, now: UInt64) async throws -> Bool {
                end == (Fixture.now + 90).seconds && now == Fixture.now.seconds
            }
        }
        let token = try Fixture.boundToken()
        let api = try TestAPI { $0.proofs.spent = Kept() }
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token)])) == nil)
    }

    @Test("A memory of proofs that fails lets nobody in")
    func memoryFails() async throws {
        struct Broken: SpentProofs {
            struct Down: Error {}
            func spend(_ name: [UInt8], until end: UInt64, now: UInt64) async throws -> Bool { throw Down() }
        }
        let token = try Fixture.boundToken()
        let api = try TestAPI { $0.proofs.spent = Broken() }
        #expect(try await api.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token)])) == .outage(.proofMemoryFailed))
        let full = try TestAPI { $0.proofs.spent = ProofMemory(most: 0) }
        #expect(try await full.refusal(of: TestAPI.request("DPoP \(token)", proofs: [Fixture.proof(for: token)])) == .outage(.proofMemoryFull))
    }
}
