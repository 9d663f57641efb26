import OstiaryProtocol
import OstiaryResource
import OstiaryTokens
import Testing

@Suite("Settings of an API")
struct SettingsTests {
    private func error(_ change: (inout ResourceSettings) -> Void) throws -> ResourceSettingsError? {
        do { _ = try TestAPI(change) } catch let error as ResourceSettingsError { return error }
        return nil
    }

    @Test("An issuer, a base and other addresses are https, or http to this machine")
    func addresses() throws {
        for text in [
            "http://login.example", "login.example", "", "https://", "https://a b", "https://login.example?x", "https://u:p@login.example", "ftp://x",
        ] {
            #expect(try error { $0.provider?.issuer = text } == .address(text))
            #expect(try error { $0.base = text } == .address(text))
        }
        for text in ["https://login.example", "https://login.example/oidc/one", "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost"] {
            #expect(try error { $0.provider?.issuer = text } == nil)
        }
        #expect(try error { $0.provider?.jwt?.keys = .address("http://login.example/keys") } == .address("http://login.example/keys"))
        #expect(
            try error {
                $0.provider?.introspection = IntrospectionSettings(clientID: "a", clientSecret: "b", address: "http://login.example/i")
            } == .address("http://login.example/i"))
    }

    @Test("What is wrong is said in words to whoever starts the API, without the password that an address may have")
    func words() throws {
        #expect("\(ResourceSettingsError.address("http://login.example"))".hasPrefix("\"http://login.example\" is no address that is called: https"))
        #expect(!"\(ResourceSettingsError.address("https://u:hunter2@login.example"))".contains("hunter2"))
        #expect("\(ResourceSettingsError.recheckNeedsIntrospection)".hasPrefix("recheckedEvery is set"))
    }

    @Test("An API key goes over plain HTTP to this machine only, unless the developer says that the network is theirs")
    func plainHTTP() throws {
        var settings = WebNonceSettings(restAddress: "http://10.0.0.7:8081", server: Base64URL.encode([UInt8](repeating: 3, count: 16)), apiKey: "k")
        #expect(try error { $0.webNonce = settings } == .address("http://10.0.0.7:8081"))
        settings.plainHTTP = true
        #expect(try error { $0.webNonce = settings } == nil)
    }

    @Test("What can't protect anything is told when the verifier is made")
    func wrong() throws {
        #expect(try error { $0.provider = nil } == .nothingTaken)
        #expect(try error { $0.provider?.jwt = nil } == .nothingTaken)
        #expect(try error { $0.provider?.audience = "" } == .audienceEmpty)
        #expect(try error { $0.provider?.jwt?.algorithms = [] } == .algorithmsEmpty)
        #expect(try error { $0.provider?.jwt?.recheckedEvery = 60 } == .recheckNeedsIntrospection)
        #expect(try error { $0.clockTolerance = 61 } == .toleranceTooLong)
        #expect(try error { $0.proofs = ProofSettings(nonceKey: [1, 2, 3]) } == .nonceKeyWrong)
        for json in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"oct","k":"AAAA"}]}"#] {
            #expect(try error { $0.provider?.jwt?.keys = .fixed(Array(json.utf8)) } == .keysWrong)
        }
    }

    @Test("The field of a webNonce is one of its own, and its server is an id")
    func names() throws {
        let id = Base64URL.encode([UInt8](repeating: 3, count: 16))
        func error(_ server: String, _ key: String = "k", field: String = "X-webNonce") throws -> ResourceSettingsError? {
            var settings = WebNonceSettings(restAddress: "http://127.0.0.1:8081", server: server, apiKey: key)
            settings.field = field
            return try self.error { $0.webNonce = settings }
        }
        #expect(try error(id) == nil)
        for field in ["", "Authorization", "dpop", "Cookie", "X webNonce", "X-web:Nonce"] {
            #expect(try error(id, field: field) == .nameWrong(field))
        }
        for server in ["", "../admin", "short"] { #expect(try error(server) == .nameWrong(server)) }
        for key in ["", "a b", "a\r\nb"] { #expect(try error(id, key) == .apiKeyWrong) }
    }

    @Test("Settings print no secret")
    func secrets() {
        #expect("\(IntrospectionSettings(clientID: "api", clientSecret: "hush"))" == "IntrospectionSettings api ‹secret›")
        #expect(!"\(WebNonceSettings(restAddress: "http://127.0.0.1", server: "s", apiKey: "hush"))".contains("hush"))
        #expect("\(ProofSettings(nonceKey: [1, 2, 3]))" == "ProofSettings ‹secret›")
        var settings = ResourceSettings(base: Fixture.base, provider: ProviderSettings(issuer: Fixture.issuer, audience: Fixture.api))
        settings.provider?.introspection = IntrospectionSettings(clientID: "api", clientSecret: "hush")
        #expect(!"\(settings)".contains("hush"))
    }

    @Test("A verifier is made in one line, and asks nobody for anything before a request comes")
    func oneLine() async throws {
        _ = try ResourceVerifier(issuer: Fixture.issuer, audience: Fixture.api, base: Fixture.base)
        let api = try TestAPI()
        #expect(await api.provider.calls.isEmpty)
    }
}
