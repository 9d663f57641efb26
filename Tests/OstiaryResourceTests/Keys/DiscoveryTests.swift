import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import OstiaryResource

@Suite("A provider's metadata, RFC 8414 and OpenID Connect Discovery")
struct DiscoveryTests {
    private func metadata(_ change: (inout JSONObject) -> Void) -> JSONObject {
        var object = JSONObject(["issuer": .string(Fixture.issuer), "jwks_uri": .string(FixtureProvider.keys)])
        change(&object)
        return object
    }

    private func refusal(_ change: (inout JSONObject) -> Void) async throws -> ResourceRefusal? {
        let api = try TestAPI()
        await api.provider.answers(FixtureProvider.metadata, metadata(change))
        return await api.refusal(try Fixture.token())
    }

    @Test("It is behind the issuer as OpenID Connect has it, or between host and path as RFC 8414 has it")
    func addresses() throws {
        let plain = try #require(ProviderAddress("https://login.example"))
        #expect(ProviderDocument.addresses(of: plain) == [FixtureProvider.metadata, FixtureProvider.oauthMetadata])
        for text in ["https://login.example/oidc/one", "https://login.example/oidc/one/"] {
            let address = try #require(ProviderAddress(text))
            #expect(
                ProviderDocument.addresses(of: address) == [
                    "https://login.example/oidc/one/.well-known/openid-configuration",
                    "https://login.example/.well-known/oauth-authorization-server/oidc/one",
                ])
        }
    }

    @Test("Where the first is not there the second is asked; one that is there and is wrong is the answer")
    func second() async throws {
        let api = try TestAPI()
        await api.provider.answers(FixtureProvider.metadata, CallAnswer(status: 404, body: []))
        await api.provider.answers(FixtureProvider.oauthMetadata, metadata { _ in })
        #expect(try await api.refusal(Fixture.token()) == nil)
        let wrong = try TestAPI()
        await wrong.provider.answers(FixtureProvider.metadata, metadata { $0["issuer"] = .string("https://evil.example") })
        await wrong.provider.answers(FixtureProvider.oauthMetadata, metadata { _ in })
        #expect(try await wrong.refusal(Fixture.token()) == .outage(.issuerWrong))
        #expect(await wrong.provider.count(FixtureProvider.oauthMetadata) == 0)
    }

    @Test("It is the issuer's that was asked for, to the byte")
    func issuer() async throws {
        for issuer in [Fixture.issuer + "/", "https://LOGIN.example", "https://evil.example"] {
            #expect(try await refusal { $0["issuer"] = .string(issuer) } == .outage(.issuerWrong))
        }
        #expect(try await refusal { $0["issuer"] = nil } == .outage(.issuerWrong))
        #expect(try await refusal { _ in } == nil)
    }

    @Test(
        "Keys are fetched over https and from nowhere else, also not from this machine, unless the issuer is here",
        arguments: [
            "http://login.example/keys", "file:///etc/passwd", "https://login.example:0/keys", "https://login.example:70000/keys", "//x/keys", "",
            "https://user@login.example/keys", "https:///keys", "http://127.0.0.1.evil.example/keys", "http://127.00.0.1/keys",
            "http://127.0.0.1:9/keys", "http://localhost/keys", "http://[::1]/keys",
        ])
    func unsafe(address: String) async throws {
        #expect(try await refusal { $0["jwks_uri"] = .string(address) } == .outage(.addressMissing))
    }

    @Test("An issuer on this machine, without TLS, may name addresses like its own")
    func here() throws {
        let issuer = "http://127.0.0.1:8080"
        let object = JSONObject([
            "issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys"), "introspection_endpoint": .string("https://login.example/introspect"),
        ])
        let document = try ProviderDocument(object.encoded, of: issuer)
        #expect(document.keys?.text == issuer + "/keys" && document.introspection?.text == "https://login.example/introspect")
    }

    @Test("No metadata, and metadata that is no JSON or larger than any, are outages that say so")
    func bad() async throws {
        for (answer, outage) in [
            (CallAnswer(status: 500, body: []), Outage.status(404)), (CallAnswer(status: 200, body: Array("<html>".utf8)), .answerMalformed),
            (CallAnswer(status: 200, body: [UInt8](repeating: 0x20, count: 65_537)), .answerTooLarge),
        ] {
            let api = try TestAPI()
            await api.provider.answers(FixtureProvider.metadata, answer)
            #expect(try await api.refusal(Fixture.token()) == .outage(outage))
        }
    }

    @Test("Addresses are kept for an hour, keys for ten minutes: a flood of names reads the metadata once")
    func kept() async throws {
        let api = try TestAPI()
        let token = try Fixture.token { $0["exp"] = .moment(Fixture.now + 7_200) }
        for _ in 0..<3 {
            #expect(await api.refusal(token) == nil)
            api.clock.advance(601)
        }
        #expect(await api.provider.count(FixtureProvider.metadata) == 1)
        #expect(await api.provider.count(FixtureProvider.keys) == 3)
    }
}
