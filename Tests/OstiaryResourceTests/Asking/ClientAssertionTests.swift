import OstiaryProtocol
import OstiaryResource
import OstiaryTokens
import Testing

@Suite("An API that shows its provider who it is by a key, RFC 7523")
struct ClientAssertionTests {
    private static let token = "2YotnFZFEjr1zCsicMWpAA"
    /// For tests and nothing else.
    private static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgHi0qjfFSM428kVJw
        Eb8ll68D1+sic+uSjBc71RT16ZyhRANCAAR12qXu25MG7IYTyq1TgDuV/r1su2bj
        9s+jR7+5XTMAThPNB+BVAswiviwa3gsq1Fh8qH/L8ZC+SpVer9q4qN7G
        -----END PRIVATE KEY-----
        """

    private func api(keyID: String? = nil, audience: String? = nil) async throws -> TestAPI {
        var introspection = IntrospectionSettings(clientID: "the api", key: try ClientKey(pem: Self.pem, id: keyID))
        introspection.assertionAudience = audience
        let api = try TestAPI { $0.provider?.introspection = introspection }
        await api.provider.answers(
            FixtureProvider.introspection,
            Fixture.claims { claims in
                claims["active"] = .bool(true)
                claims["token_type"] = .string("Bearer")
            })
        return api
    }

    /// The form of each question that was asked, by name.
    private func forms(_ api: TestAPI) async -> [[String: String]] {
        await api.provider.calls.filter { $0.method == .post }.map(form)
    }

    private func form(_ call: ResourceCall) -> [String: String] {
        let pairs = String(decoding: call.body ?? [], as: UTF8.self).split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(pairs.map { (String($0[0]), String($0[1])) }, uniquingKeysWith: { $1 })
    }

    private func assertion(_ form: [String: String]) throws -> UnverifiedJWS { try UnverifiedJWS(compact: try #require(form["client_assertion"])) }

    @Test("Its assertion is signed by its key, names it, is for the issuer alone, and is good for a minute; there is no secret")
    func assertion() async throws {
        let api = try await api()
        #expect(try await api.caller(Self.token).subject == "alice")
        let call = try #require(await api.provider.calls.last)
        #expect(!call.fields.contains { $0.name == "Authorization" })
        let form = try #require(await forms(api).last)
        #expect(Set(form.keys) == ["token", "token_type_hint", "client_assertion_type", "client_assertion"] && form["token"] == Self.token)
        #expect(form["client_assertion_type"] == "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer")
        let key = try LocalSigner(pem: Self.pem).key
        let claims = try assertion(form).verified(by: JWKSet([key]), as: .clientAssertion, allowing: [.es256]).claims
        #expect(try assertion(form).header.keyID == key.thumbprint.text && assertion(form).header.type == "client-authentication+jwt")
        #expect(claims["iss"]?.string == "the api" && claims["sub"] == claims["iss"] && claims["aud"] == .string(Fixture.issuer))
        #expect(claims["iat"] == .moment(Fixture.now) && claims["exp"] == .moment(Fixture.now + 60))
        #expect(claims["jti"]?.string.flatMap { Base64URL.decode($0) }?.count == 16)
    }

    @Test("Each question has an assertion of its own: a provider takes none twice")
    func once() async throws {
        let api = try await api()
        for _ in 0..<3 { #expect(await api.refusal(Self.token) == nil) }
        let names = try await forms(api).map { try assertion($0).claimed["jti"]?.string }
        #expect(names.count == 3 && Set(names).count == 3)
    }

    @Test("A question that goes out once more, because its connection ended, is the same but for its assertion")
    func anew() async throws {
        let api = try await api()
        #expect(await api.refusal(Self.token) == nil)
        let call = try #require(await api.provider.calls.last)
        let again = try call.anew()
        let (first, second) = (form(call), form(again))
        #expect(again.address == call.address && again.purpose == call.purpose && first["token"] == second["token"])
        #expect(try assertion(first).claimed["jti"] != assertion(second).claimed["jti"])
    }

    @Test("The name of the key and the audience are the provider's, where it has others")
    func otherNames() async throws {
        let api = try await api(keyID: "api-2026", audience: "https://login.example/token")
        #expect(await api.refusal(Self.token) == nil)
        let assertion = try assertion(try #require(await forms(api).last))
        #expect(assertion.header.keyID == "api-2026" && assertion.claimed["aud"] == .string("https://login.example/token"))
    }

    @Test("What is no private key is told when the settings are made, and a key prints as a secret")
    func settings() throws {
        for text in ["", "secret", Self.pem.replacing("PRIVATE", with: "PUBLIC")] {
            #expect(throws: ResourceSettingsError.clientKeyWrong) { try ClientKey(pem: text) }
        }
        let key = try ClientKey(pem: Self.pem)
        #expect("\(key)" == "ClientKey ‹secret›")
        var printed = ""
        dump(IntrospectionSettings(clientID: "api", key: key), to: &printed)
        #expect(printed.contains("‹secret›") && !printed.contains("signer"))
    }
}
