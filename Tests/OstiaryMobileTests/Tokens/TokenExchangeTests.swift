import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("An AppLogin for tokens, without a browser", .timeLimit(.minutes(10)))
struct TokenExchangeTests {
    /// The network with both servers, at one host.
    private struct Network: Transport {
        let provider: EventfulNetwork
        let server: TestTransport

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let isForProvider = ["/oauth/token", "/oauth/revoke", "/keys", "/.well-known/openid-configuration"].contains(request.url.path)
            return try await isForProvider ? provider.send(request) : server.send(request)
        }
    }

    /// A phone whose app gets tokens, with nobody logged in.
    private struct App {
        let phone: TestPhone
        let provider: TokenServer
        let network: EventfulNetwork
        var settings = TokenSettings(issuer: TokenServer.issuer, clientID: "timesheets", audience: nil, scope: "openid")

        init(bindsTokens: Bool = true, hasTokens: Bool = true, documents: MemoryAccountStore? = nil) async throws {
            let first = try await TestPhone.enrolled()
            provider = try TokenServer(clock: first.clock)
            var configuration = Ostiary.Configuration()
            configuration.hidesVisualHash = true
            configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
            configuration.bindsTokens = bindsTokens
            configuration.tokens = hasTokens ? settings : nil
            network = EventfulNetwork(provider)
            let both = Network(provider: network, server: TestTransport(server: first.server))
            var ports = Ports(keys: first.keys, accounts: first.accounts, transport: both, clock: first.clock).quick
            ports.tokens = documents
            phone = TestPhone(first.server, accounts: first.accounts, keys: first.keys, Ostiary(configuration: configuration, ports: ports))
        }

        func logIn(as subject: String = "alice") async throws -> Session {
            phone.ostiary.startAppLogin()
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
            let session = try await phone.login()
            let webNonce = try #require(session.webNonce)
            provider.with { $0.webNonces[webNonce] = subject }
            return session
        }
    }

    @Test("S0-18 S0-19 the webNonce goes to the token endpoint in a form, with a proof and no code verifier; no browser is opened")
    func exchanged() async throws {
        let app = try await App()
        let client = try app.phone.ostiary.tokenClient(app.settings)
        await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        let session = try await app.logIn()
        let token = try await client.freshToken()
        #expect(app.provider.isGood(token) && token.kind == .dpop)
        let form = try #require(app.provider.with { $0.forms.first })
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange" && form["subject_token"] == session.webNonce)
        #expect(form["subject_token_type"] == "urn:ostiary:params:oauth:token-type:web-nonce" && form["code_verifier"] == nil)
        #expect(app.provider.with { $0.opened.isEmpty } && !app.provider.calls.joined().contains(session.webNonce ?? "-"))
        #expect(try await client.credentials()?.profile?.subject == "alice")
        let named = await app.phone.server.with { $0.tokenKeys.compactMap(\.self).last }
        let fields = try token.fields(method: "GET", url: try #require(URL(string: "https://api.example.com/")))
        let proof = try UnverifiedJWS(compact: try #require(fields["DPoP"]))
        #expect(proof.claimed["ath"]?.string == Base64URL.encode(SHA(Array(token.value.utf8))))
        #expect(app.provider.with { $0.families.last?.key } == named.map { Thumbprint($0).text })
    }

    @Test("It is exchanged anew when its token is over, and not before; and once for all who ask at once")
    func renewed() async throws {
        let app = try await App()
        let client = try app.phone.ostiary.tokenClient(app.settings)
        _ = try await app.logIn()
        app.provider.with { $0.life = 40 }
        let first = try await client.freshToken()
        #expect(try await client.freshToken().value == first.value)
        app.phone.clock.advance(25)
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.freshToken().value } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1 && !values.contains(first.value) && app.provider.calls(to: "/oauth/token") == 2)
    }

    @Test("With the login the token is over here at once, whatever its own time, and the next person has none of it")
    func loggedOut() async throws {
        let app = try await App()
        let client = try app.phone.ostiary.tokenClient(app.settings)
        let session = try await app.logIn()
        let first = try await client.freshToken()
        try await app.phone.ostiary.end(session)
        await #expect(throws: TokenError.notLoggedIn) { try await client.freshToken() }
        #expect(try await client.credentials() == nil)
        _ = try await app.logIn(as: "bob")
        let second = try await client.freshToken()
        #expect(second.value != first.value)
        #expect(try await client.credentials()?.profile?.subject == "bob")
        try await client.revoke()
        #expect(app.provider.with { $0.revoked } == [second.value], "the access token alone: the AppLogin is the app's to end")
    }

    @Test("A token that comes when its login is over goes to nobody, least of all to who logged in meanwhile")
    func late() async throws {
        let app = try await App()
        let client = try app.phone.ostiary.tokenClient(app.settings)
        let session = try await app.logIn()
        let answer = HeldCall()
        app.network.meanwhile { await answer.pass() }
        let asked = Task { try await client.freshToken() }
        await answer.arrived()
        try await app.phone.ostiary.end(session)
        _ = try await app.logIn(as: "bob")
        answer.open()
        let outcome = await asked.result
        #expect(throws: TokenError.loginOver) { try outcome.get() }
        _ = try await client.freshToken()
        #expect(try await client.credentials()?.profile?.subject == "bob")
    }

    @Test("A login in a browser that does not last is not gone on with by the token of whoever is logged in to the app itself")
    func twoPersons() async throws {
        var app = try await App(documents: MemoryAccountStore())
        app.settings.redirectURL = TokenFixture.redirectURL
        let client = try app.phone.ostiary.tokenClient(app.settings)
        _ = try await app.logIn(as: "alice")
        _ = try await client.freshToken()
        app.provider.with { state in
            state.subject = "carol"
            state.life = 40
        }
        try await client.logIn(in: PersonAtBrowser { [provider = app.provider] in try provider.authorize($0) })
        let shown = Mutex<[String]>([])
        await #expect(throws: TokenError.accessTokenRefused) {
            try await client.performWithFreshToken { token -> Int in
                shown.withLock { $0.append(token.value) }
                throw AccessTokenRefused()
            }
        }
        #expect(shown.withLock { $0.count } == 1, "what carol asked for goes out as nobody else")
        app.phone.clock.advance(25)
        await #expect(throws: TokenError.loginOver) { try await client.freshToken() }
        _ = try await client.freshToken()
        #expect(try await client.credentials()?.profile?.subject == "alice", "who is shown is whose token it is")
    }

    @Test("An app that names no key for tokens is told what to set")
    func unbound() async throws {
        let app = try await App(bindsTokens: false)
        _ = try await app.logIn()
        let client = try app.phone.ostiary.tokenClient(app.settings)
        await #expect(throws: TokenError.settings(.bindsTokens)) { try await client.freshToken() }
        #expect(TokenError.settings(.bindsTokens).advice == .askDeveloper)
    }

    @Test("S0-25…29 getToken is the exchange: the delegate gets what the provider answered, byte for byte")
    func getToken() async throws {
        let app = try await App()
        app.provider.with { $0.lies.answer = { $0["of_ours"] = .string("<kept>") } }
        let session = try await app.logIn()
        app.phone.ostiary.getToken(for: session)
        let (token, told) = try await app.phone.until { event -> (Token, Session)? in
            if case .token(let token, let session) = event { (token, session) } else { nil }
        }
        #expect(told.id == session.id)
        let object = try JSONReader.object(token.bytes)
        #expect(object.names == ["access_token", "token_type", "expires_in", "scope", "id_token", "of_ours"])
        // The provider writes the sign so, and nobody wrote it anew.
        #expect(String(decoding: token.bytes, as: UTF8.self).hasSuffix(#""of_ours":"\u003ckept\u003e"}"#))
        #expect(object["access_token"]?.string.map { access in app.provider.with { $0.accessTokens[access] != nil } } == true)
    }

    @Test("S0-25 what keeps getToken from a token is told as an error of its session, and no token of another is")
    func getTokenRefused() async throws {
        let app = try await App()
        let session = try await app.logIn()
        app.provider.with { $0.isDown = true }
        app.phone.ostiary.getToken(for: session)
        let (error, told) = try await app.phone.failure()
        #expect(error == .serverConnection && told?.id == session.id && told?.isLoggedIn == true)
        app.provider.with { state in
            state.isDown = false
            state.webNonces = [:]
        }
        app.phone.ostiary.getToken(for: session)
        #expect(try await app.phone.failure().0 == .sessionOver)
        let other = try await App(hasTokens: false)
        other.phone.ostiary.getToken(for: try await other.logIn())
        #expect(try await other.phone.failure().0 == .notOffered)
    }
}
