import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("JWTs as access tokens, RFC 9068 §4")
struct JWTCheckTests {
    private func refusal(of claims: (inout JSONObject) -> Void) async throws -> TokenFault? {
        guard let refusal = try await TestAPI().refusal(Fixture.token(claims)) else { return nil }
        guard case .token(let fault) = refusal else { throw refusal }
        return fault
    }

    @Test("S3-05, S3-08, S3-11, S3-14, S0-20 a good token tells who calls, by which program, for what, and how they logged in")
    func good() async throws {
        let caller = try await TestAPI().caller(try Fixture.token())
        #expect(caller.subject == "alice" && caller.clientID == "mobile" && caller.account == nil)
        #expect(caller.scopes == ["read:timesheets", "create:timesheets"])
        #expect(caller.acr == "mfa" && caller.amr == ["mfa", "pin", "pop"] && caller.authTime == Fixture.now.seconds - 20)
        #expect(caller.expiresAt == Fixture.now.seconds + 300 && caller.provedBy == .jwt && caller.keyThumbprint == nil)
    }

    @Test("S3-15 a claim that the operator added is there for the API, and so are the person's permissions")
    func custom() async throws {
        let caller = try await TestAPI().caller(
            try Fixture.token {
                $0["https://api.example.com/email"] = .string("alice@example.com")
                $0["permissions"] = .strings(["approve:timesheets"])
                $0["team"] = .object(JSONObject(["size": .integer(3)]))
            })
        #expect(caller.claims["https://api.example.com/email"]?.string == "alice@example.com")
        #expect(caller.claims["team"] == .object(["size": .integer(3)]))
        #expect(caller.has(permission: "approve:timesheets") && !caller.has(permission: "approve"))
    }

    @Test("ES256, EdDSA and RS256, each by the key of its kind; S0-21 one that the API does not expect is refused")
    func algorithms() async throws {
        let rsa = try LocalSigner(.rs256, stored: try LocalSigner.drawn(.rs256, using: SeededRandom("rsa")))
        let signers: [any TokenSigner] = [try Fixture.signer(), try Fixture.edwards(), rsa]
        let keys = signers.map(\.key)
        for signer in signers { #expect(try await TestAPI(keys: keys).refusal(Fixture.token(by: signer)) == nil) }
        let strict = try TestAPI(keys: keys) { $0.provider?.jwt?.algorithms = [.edDSA] }
        #expect(try await strict.refusal(Fixture.token(by: signers[0])) == .token(.algorithmNotAllowed))
        #expect(try await strict.refusal(Fixture.token(by: rsa)) == .token(.algorithmNotAllowed))
        #expect(try await strict.refusal(Fixture.token(by: signers[1])) == nil)
    }

    @Test("rs_aud_wrong, rs_aud_array_ok: one of its audiences is this API, to the byte")
    func audience() async throws {
        #expect(try await refusal { $0["aud"] = .strings(["https://other.example", Fixture.api]) } == nil)
        for audience in ["https://other.example", Fixture.api + "/", Fixture.api.uppercased(), "\(Fixture.api) https://other.example"] {
            #expect(try await refusal { $0["aud"] = .string(audience) } == .audienceWrong)
        }
        #expect(try await refusal { $0["aud"] = .array([]) } == .claimWrong("aud"))
        #expect(try await refusal { $0["aud"] = nil } == .claimMissing("aud"))
    }

    @Test("rs_iss_trailing_slash: the issuer is this provider, to the byte")
    func issuer() async throws {
        for issuer in [Fixture.issuer + "/", "https://login.example.org", "HTTPS://login.example", "https://login.example#"] {
            #expect(try await refusal { $0["iss"] = .string(issuer) } == .issuerWrong)
        }
        #expect(try await refusal { $0["iss"] = nil } == .claimMissing("iss"))
    }

    @Test("S3-09 rs_exp_past_leeway, rs_nbf_future, rs_iat_future: clocks may differ by ten seconds, and by no more")
    func times() async throws {
        let now = Fixture.now
        #expect(try await refusal { $0["exp"] = .moment(now - 9) } == nil)
        #expect(try await refusal { $0["exp"] = .moment(now - 10) } == .expired)
        #expect(try await refusal { $0["nbf"] = .moment(now + 10) } == nil)
        #expect(try await refusal { $0["nbf"] = .moment(now + 11) } == .notYetValid)
        #expect(try await refusal { $0["iat"] = .moment(now + 10) } == nil)
        #expect(try await refusal { $0["iat"] = .moment(now + 11) } == .issuedLater)
    }

    @Test("An API whose clock is ten seconds off, either way, takes a token that was made this moment, for its whole life", arguments: [-10, 10])
    func clockOff(seconds: Int64) async throws {
        let api = try TestAPI()
        api.clock.jump(seconds)
        #expect(try await api.refusal(Fixture.token()) == nil)
        api.clock.advance(299)
        #expect(try await api.refusal(Fixture.token { $0["nbf"] = .moment(Fixture.now) }) == nil)
        api.clock.advance(22)
        #expect(try await api.refusal(Fixture.token()) == .token(.expired))
    }

    @Test("The tolerance is the developer's: none, or a minute")
    func tolerance() async throws {
        let token = try Fixture.token { $0["exp"] = .moment(Fixture.now) }
        #expect(try await TestAPI { $0.clockTolerance = 0 }.refusal(token) == .token(.expired))
        #expect(try await TestAPI { $0.clockTolerance = 1 }.refusal(token) == nil)
    }

    @Test("What RFC 9068 requires has to be there", arguments: ["iss", "sub", "aud", "exp", "iat", "jti", "client_id"])
    func required(name: String) async throws {
        #expect(try await refusal { $0[name] = nil } == .claimMissing(name))
        #expect(try await refusal { $0[name] = .bool(true) } == .claimWrong(name))
    }

    @Test("Claims of another type are refused, and none is read as less than it says")
    func types() async throws {
        #expect(try await refusal { $0["scope"] = .strings(["read:timesheets"]) } == .claimWrong("scope"))
        #expect(try await refusal { $0["permissions"] = .string("approve:timesheets") } == .claimWrong("permissions"))
        #expect(try await refusal { $0["amr"] = .string("mfa") } == .claimWrong("amr"))
        #expect(try await refusal { $0["acr"] = .integer(2) } == .claimWrong("acr"))
        #expect(try await refusal { $0["auth_time"] = .string("yesterday") } == .claimWrong("auth_time"))
        #expect(try await refusal { $0["exp"] = .fraction(1e300) } == .claimWrong("exp"))
    }

    @Test("A token that is bound to something which is unknown here is no bearer token")
    func unknownBinding() async throws {
        for confirmation in [JSONObject(), JSONObject(["x5t#S256": .string("AA")]), JSONObject(["jkt": .string("short")])] {
            #expect(try await refusal { $0["cnf"] = .object(confirmation) } == .claimWrong("cnf"))
        }
    }

    @Test("Issuer and audience are compared by bytes: two spellings of one letter are two names")
    func bytes() async throws {
        // The Kelvin sign, which a comparison of characters takes for K.
        let (api, kelvin) = ("https://api.example.com/K", "https://api.example.com/\u{212A}")
        let verified = try TestAPI { $0.provider?.audience = api }
        #expect(try await verified.refusal(Fixture.token { $0["aud"] = .string(api) }) == nil)
        #expect(try await verified.refusal(Fixture.token { $0["aud"] = .string(kelvin) }) == .token(.audienceWrong))
        #expect(try await verified.refusal(Fixture.token { $0["aud"] = .strings([kelvin, "x"]) }) == .token(.audienceWrong))
        let issuer = "https://login.example/K"
        let fixed = try TestAPI { settings in
            settings.provider?.issuer = issuer
            settings.provider?.jwt?.keys = .address(FixtureProvider.keys)
        }
        #expect(try await fixed.refusal(Fixture.token { $0["iss"] = .string(issuer) }) == nil)
        #expect(try await fixed.refusal(Fixture.token { $0["iss"] = .string("https://login.example/\u{212A}") }) == .token(.issuerWrong))
    }
}
