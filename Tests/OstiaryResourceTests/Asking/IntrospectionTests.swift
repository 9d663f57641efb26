import OstiaryProtocol
import OstiaryResource
import OstiaryTesting
import OstiaryTokens
import Testing

@Suite("Tokens that the provider is asked about, RFC 7662", .timeLimit(.minutes(10)))
struct IntrospectionTests {
    private static let token = "2YotnFZFEjr1zCsicMWpAA"

    private func api(_ change: (inout IntrospectionSettings) -> Void = { _ in }, jwt: JWTSettings? = JWTSettings()) throws -> TestAPI {
        var introspection = IntrospectionSettings(clientID: "the api", clientSecret: "s:e+cret")
        change(&introspection)
        return try TestAPI { settings in
            settings.provider?.introspection = introspection
            settings.provider?.jwt = jwt
        }
    }

    private func active(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONObject {
        Fixture.claims { claims in
            claims["active"] = .bool(true)
            claims["token_type"] = .string("Bearer")
            change(&claims)
        }
    }

    private func refusal(_ answer: JSONObject) async throws -> ResourceRefusal? {
        let api = try api()
        await api.provider.answers(FixtureProvider.introspection, answer)
        return await api.refusal(Self.token)
    }

    @Test("A token that is good now tells who calls; the API shows who it is, and the token goes in a body")
    func good() async throws {
        let api = try api()
        await api.provider.answers(FixtureProvider.introspection, active { $0["https://api.example.com/email"] = .string("a@example.com") })
        let caller = try await api.caller(Self.token)
        #expect(caller.subject == "alice" && caller.clientID == "mobile" && caller.provedBy == .introspection)
        #expect(caller.has(scope: "read:timesheets") && caller.claims["https://api.example.com/email"]?.string == "a@example.com")
        let call = try #require(await api.provider.calls.last)
        #expect(call.method == .post && call.address == FixtureProvider.introspection)
        #expect(call.body.map { String(decoding: $0, as: UTF8.self) } == "token=\(Self.token)&token_type_hint=access_token")
        // Both parts are encoded like a form before base64 (RFC 6749 §2.3.1): the%20api:s%3Ae%2Bcret.
        // A space not as "+": Authlib reads that as itself, and the API was nobody to it.
        #expect(call.fields.contains { $0.name == "Authorization" && $0.value == "Basic dGhlJTIwYXBpOnMlM0FlJTJCY3JldA==" })
        #expect(!"\(call)".contains("Basic") && !"\(call)".contains(Self.token))
    }

    @Test("S0-23 a token that was stopped is refused at the next request: nothing is remembered unless the developer says so")
    func stopped() async throws {
        let api = try api()
        await api.provider.answers(FixtureProvider.introspection, active())
        #expect(await api.refusal(Self.token) == nil)
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        #expect(await api.refusal(Self.token) == .token(.notActive))
    }

    @Test("A yes is remembered for as long as the developer says, counted from when it was asked, and a no never is")
    func remembered() async throws {
        let api = try api { $0.rememberedFor = 30 }
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        #expect(await api.refusal(Self.token) == .token(.notActive))
        await api.provider.answers(FixtureProvider.introspection, active { $0["exp"] = .moment(Fixture.now + 100) })
        #expect(await api.refusal(Self.token) == nil)
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        api.clock.advance(29)
        #expect(await api.refusal(Self.token) == nil)
        #expect(await api.refusal("2YotnFZFEjr1zCsicMWpAB") == .token(.notActive))
        api.clock.advance(1)
        #expect(await api.refusal(Self.token) == .token(.notActive))
    }

    @Test("What is remembered ends with the token")
    func rememberedToTheEnd() async throws {
        let api = try api { $0.rememberedFor = 3_600 }
        await api.provider.answers(FixtureProvider.introspection, active { $0["exp"] = .moment(Fixture.now + 100) })
        #expect(await api.refusal(Self.token) == nil)
        api.clock.advance(110)
        #expect(await api.refusal(Self.token) == .token(.expired))
    }

    @Test("Active is `true`, and nothing that looks like it")
    func activity() async throws {
        for value in [JSONValue.bool(false), .string("true"), .integer(1), .null] {
            #expect(try await refusal(active { $0["active"] = value }) == .token(.notActive))
        }
        #expect(try await refusal(active { $0["active"] = nil }) == .token(.notActive))
    }

    @Test("A token of another API, another issuer, or another time opens nothing here, though it is good there")
    func elsewhere() async throws {
        #expect(try await refusal(active { $0["aud"] = .string("https://other.example") }) == .token(.audienceWrong))
        #expect(try await refusal(active { $0["iss"] = .string("https://other.example") }) == .token(.issuerWrong))
        #expect(try await refusal(active { $0["exp"] = .moment(Fixture.now - 10) }) == .token(.expired))
        #expect(try await refusal(active { $0["nbf"] = .moment(Fixture.now + 11) }) == .token(.notYetValid))
    }

    @Test("A refresh token, of which the provider says that it is good as well, opens nothing: it is for no API")
    func refreshToken() async throws {
        let refresh = JSONObject([
            "active": .bool(true), "client_id": .string("mobile"), "sub": .string("alice"), "scope": .string("read:timesheets"),
        ])
        #expect(try await refusal(refresh) == .token(.claimMissing("aud")))
        let lenient = try api { $0.mayLackAudience = true }
        await lenient.provider.answers(FixtureProvider.introspection, refresh)
        #expect(await lenient.refusal(Self.token) == .token(.claimMissing("token_type")))
        let types: [(String, ResourceRefusal?)] = [("Bearer", nil), ("bearer", nil), ("refresh_token", .token(.notAnAccessToken))]
        for (type, refusal) in types {
            var answer = refresh
            answer["token_type"] = .string(type)
            await lenient.provider.answers(FixtureProvider.introspection, answer)
            #expect(await lenient.refusal(Self.token) == refusal)
        }
        // Where one is told it counts all the same.
        await lenient.provider.answers(FixtureProvider.introspection, active { $0["aud"] = .string("https://other.example") })
        #expect(await lenient.refusal(Self.token) == .token(.audienceWrong))
    }

    @Test("What the provider says of the kind is an access token's, also where it names this API as the audience")
    func kindTold() async throws {
        for type in ["Bearer", "bearer", "DPoP"] { #expect(try await refusal(active { $0["token_type"] = .string(type) }) == nil) }
        for type in ["refresh_token", "Refresh", "N_A", "mac"] {
            #expect(try await refusal(active { $0["token_type"] = .string(type) }) == .token(.notAnAccessToken))
        }
        #expect(try await refusal(active { $0["token_type"] = nil }) == nil)
        #expect(try await refusal(active { $0["token_type"] = .integer(1) }) == .token(.claimWrong("token_type")))
        #expect(try await refusal(active { $0["token_use"] = .string("access_token") }) == nil)
        for use in ["refresh_token", "id_token", "Access_token"] {
            #expect(try await refusal(active { $0["token_use"] = .string(use) }) == .token(.notAnAccessToken))
        }
    }

    @Test("A machine may be named as a client only")
    func machine() async throws {
        let api = try api()
        await api.provider.answers(FixtureProvider.introspection, active { $0["sub"] = nil })
        #expect(try await api.caller(Self.token).subject == "mobile")
        // A person whom the answer names otherwise is not the client.
        let named = active { claims in
            claims["sub"] = nil
            claims["username"] = .string("alice")
        }
        #expect(try await refusal(named) == .token(.claimMissing("sub")))
        #expect(try await refusal(active { claims in for name in ["sub", "client_id"] { claims[name] = nil } }) == .token(.claimMissing("sub")))
    }

    @Test("An opaque token that is bound to a key opens nothing without its proof")
    func bound() async throws {
        let api = try api()
        let key = try Fixture.phone().key.thumbprint.text
        await api.provider.answers(FixtureProvider.introspection, active { $0["cnf"] = .object(JSONObject(["jkt": .string(key)])) })
        #expect(await api.refusal(Self.token) == .token(.proofMissing))
        let proof = try Fixture.proof(for: Self.token)
        #expect(await api.refusal(of: TestAPI.request("DPoP \(Self.token)", proofs: [proof])) == nil)
    }

    @Test("A provider that is away, slow to the end, or says what is no answer is an outage, and no word about the token")
    func outages() async throws {
        let api = try api()
        for (answer, outage) in [
            (CallAnswer(status: 401, body: []), Outage.status(401)), (CallAnswer(status: 503, body: []), .status(503)),
            (CallAnswer(status: 200, body: Array("yes".utf8)), .answerMalformed), (CallAnswer(status: 302, body: []), .status(302)),
            (CallAnswer(status: 200, body: Array(#"{"active":false,"active":true}"#.utf8)), .answerMalformed),
        ] {
            await api.provider.answers(FixtureProvider.introspection, answer)
            #expect(await api.refusal(Self.token) == .outage(outage))
        }
        await api.provider.goes()
        #expect(await api.refusal(Self.token) == .outage(.unreachable))
    }

    @Test("64 questions may be under way: the next is an outage at once, whose key is known comes in all the same, and then there is room again")
    func tooMany() async throws {
        let api = try api { $0.address = FixtureProvider.introspection }
        await api.provider.answers(FixtureProvider.introspection, active())
        let jwt = try Fixture.token()
        #expect(await api.refusal(jwt) == nil)
        await api.provider.holds()
        let callers = (0..<64).map { number in Task { await api.refusal("token-\(number)") } }
        while await api.provider.count(FixtureProvider.introspection) < 64 { await Task.yield() }
        #expect(await api.refusal(Self.token) == .outage(.tooManyQuestions))
        #expect(await api.refusal(jwt) == nil)
        await api.provider.releases()
        for caller in callers { #expect(await caller.value == nil) }
        #expect(await api.refusal(Self.token) == nil)
        #expect(await api.provider.count(FixtureProvider.introspection) == 65)
        // A question that fails gives its place back as well.
        await api.provider.goes()
        for _ in 0..<65 { #expect(await api.refusal(Self.token) == .outage(.unreachable)) }
    }

    @Test("100 callers with one token before anything is remembered are one question; a no is told to all, and remembered by nobody")
    func herd() async throws {
        let api = try api { $0.rememberedFor = 30 }
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        await api.provider.holds()
        let refused = (0..<100).map { _ in Task { await api.refusal(Self.token) } }
        // Each looks at the clock once, and so does the fetch of the metadata, of which there is one.
        while api.looks.count < 101 { await Task.yield() }
        await api.provider.releases()
        for caller in refused { #expect(await caller.value == .token(.notActive)) }
        let asked = await api.provider.count(FixtureProvider.introspection)
        await api.provider.answers(FixtureProvider.introspection, active())
        await api.provider.holds()
        let looked = api.looks.count
        let callers = (0..<100).map { _ in Task { await api.refusal(Self.token) } }
        while api.looks.count < looked + 100 { await Task.yield() }
        await api.provider.releases()
        for caller in callers { #expect(await caller.value == nil) }
        #expect(await api.provider.count(FixtureProvider.introspection) == asked + 1)
    }

    @Test("A JWT whose signature is wrong is not asked about, and what can be no token is not sent anywhere")
    func notAsked() async throws {
        let api = try api()
        #expect(try await api.refusal(Fixture.token(by: Fixture.signer(8))) == .token(.keyUnknown))
        #expect(await api.refusal(String(repeating: "a", count: 4_097)) == .token(.tooLong))
        for text in ["a&token=b", "ä", "a\r\nX:y", "\"a\""] { #expect(await api.refusal(text) == .token(.badCharacter)) }
        #expect(await api.provider.count(FixtureProvider.introspection) == 0)
    }

    @Test("Where no JWT is verified here, JWTs are asked about, too; where nobody is asked, opaque tokens are refused")
    func kinds() async throws {
        let asking = try api(jwt: nil)
        await asking.provider.answers(FixtureProvider.introspection, active())
        #expect(try await asking.caller(Fixture.token(by: Fixture.signer(8))).provedBy == .introspection)
        #expect(await asking.provider.count(FixtureProvider.keys) == 0)
        #expect(try await TestAPI().refusal(Self.token) == .token(.notThreeParts))
    }

    @Test("S0-23 a JWT that is rechecked every 60 seconds: a stop is seen after as long, and no later")
    func rechecked() async throws {
        var jwt = JWTSettings()
        jwt.recheckedEvery = 60
        let api = try api(jwt: jwt)
        let token = try Fixture.token()
        await api.provider.answers(FixtureProvider.introspection, active())
        #expect(try await api.caller(token).provedBy == .jwt)
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        api.clock.advance(59)
        #expect(await api.refusal(token) == nil)
        api.clock.advance(1)
        #expect(await api.refusal(token) == .token(.notActive))
        #expect(await api.provider.count(FixtureProvider.introspection) == 2)
    }

    @Test("Rechecked every 0 seconds is each time; not at all is until the token is over")
    func recheckedAlways() async throws {
        var jwt = JWTSettings()
        jwt.recheckedEvery = 0
        let api = try api(jwt: jwt)
        let token = try Fixture.token()
        await api.provider.answers(FixtureProvider.introspection, active())
        for _ in 0..<3 { #expect(await api.refusal(token) == nil) }
        #expect(await api.provider.count(FixtureProvider.introspection) == 3)
        await api.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        #expect(await api.refusal(token) == .token(.notActive))
        let never = try self.api()
        await never.provider.answers(FixtureProvider.introspection, JSONObject(["active": .bool(false)]))
        never.clock.advance(309)
        #expect(await never.refusal(token) == nil)
        never.clock.advance(1)
        #expect(await never.refusal(token) == .token(.expired))
    }
}
