import Foundation
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("A login in the browser: code and PKCE", .timeLimit(.minutes(10)))
struct TokenLoginTests {
    @Test("S3-17…24, 26, 27 the browser is sent out with client, audience, scopes, a challenge by S256, the way back, and the key of this device")
    func address() async throws {
        let world = try TokenFixture()
        _ = try await world.loggedIn()
        let opened = try #require(world.server.with { $0.opened.first })
        let asked = TokenServer.query(opened.query(percentEncoded: true) ?? "")
        #expect(opened.absoluteString.hasPrefix("https://login.example/authorize?"))
        #expect(asked["response_type"] == "code" && asked["client_id"] == "timesheets" && asked["code_challenge_method"] == "S256")
        #expect(asked["audience"] == "https://api.example.com/timesheets" && asked["redirect_uri"] == "com.example.timesheets:/cb")
        #expect(asked["scope"] == "create:timesheets read:timesheets openid profile email offline_access")
        #expect(asked["code_challenge"]?.utf8.count == 43 && asked["state"]?.utf8.count == 22 && asked["nonce"]?.utf8.count == 22)
        #expect(asked["dpop_jkt"]?.utf8.count == 43)
        let sent = try #require(world.server.with { $0.forms.first?["code_verifier"] })
        #expect(try CodeChallenge(#require(asked["code_challenge"])).isMet(by: CodeVerifier(sent)))
    }

    @Test("S3-25 state, nonce and verifier are others in each login")
    func fresh() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        try await client.logIn(in: world.browser)
        let asked = world.server.with { $0.opened.map { TokenServer.query($0.query(percentEncoded: true) ?? "") } }
        for name in ["state", "nonce", "code_challenge", "dpop_jkt"] { #expect(asked.count == 2 && asked[0][name] != asked[1][name], "\(name)") }
    }

    @Test("S3-30…36, 38, 40…42 the code is exchanged; profile and scopes are there, also in the next process, and no secret is in the document")
    func loggedIn() async throws {
        let world = try TokenFixture()
        let client = world.process()
        #expect(try await client.credentials() == nil)
        let given = try await client.logIn(in: world.browser)
        let profile = try #require(given.profile)
        #expect(profile.subject == "alice" && profile.name == "Alice Example" && profile.email == "alice@example.org" && profile.isEmailVerified)
        #expect(profile.picture?.absoluteString == "https://login.example/alice.png" && profile.authenticationContext == "mfa")
        #expect(given.isLasting && given.isBound)
        #expect(try await world.process().credentials() == given)
        let form = try #require(world.server.with { $0.forms.first })
        #expect(form["grant_type"] == "authorization_code" && form["client_id"] == "timesheets")
        #expect(form["redirect_uri"] == "com.example.timesheets:/cb" && form["code"]?.hasPrefix("code-") == true)
        let document = String(decoding: try #require(world.documents.document), as: UTF8.self)
        for secret in ["access-", "refresh.", "eyJ", "alice"] { #expect(!document.contains(secret)) }
        #expect(try world.isTidy)
    }

    @Test("S3-43 what is shown follows the scope that was granted, word by word")
    func scopes() async throws {
        let world = try TokenFixture()
        world.server.with { $0.lies.answer = { $0["scope"] = .string("read:timesheets openid") } }
        let given = try await world.process().logIn(in: world.browser)
        #expect(given.hasScope("read:timesheets") && !given.hasScope("create:timesheets"))
        #expect(!given.hasScope("read:timesheet") && !given.hasScope("read:timesheetsX") && !given.hasScope("read"))
        #expect(await world.process().hasScope("read:timesheets"))
        world.documents.isUnavailable = true
        #expect(await world.process().hasScope("read:timesheets") == false)
    }

    @Test("S3-39, 44 an app that binds nothing shows Bearer and nothing else; one that does shows DPoP, with a proof for this call and this token")
    func headers() async throws {
        let url = try #require(URL(string: "https://api.example.com/timesheets?week=34"))
        let bearer = try await TokenFixture(bindsToDevice: false).loggedIn().freshToken()
        #expect(try bearer.fields(method: "GET", url: url) == ["Authorization": "Bearer \(bearer.value)"])
        let bound = try await TokenFixture().loggedIn().freshToken()
        let fields = try bound.fields(method: "GET", url: url)
        #expect(fields["Authorization"] == "DPoP \(bound.value)" && fields.count == 2)
        let proof = try UnverifiedJWS(compact: try #require(fields["DPoP"])).claimed
        #expect(proof["htm"]?.string == "GET" && proof["htu"]?.string == "https://api.example.com/timesheets")
        #expect(proof["ath"]?.string == Base64URL.encode(SHA(Array(bound.value.utf8))))
        #expect("\(bound)" == "‹secret›" && String(reflecting: bound) == "‹secret›")
    }

    @Test("The attacks on the way back: another state, another issuer, none, a parameter twice, another address; no code goes out, and nobody is in")
    func callbacks() async throws {
        typealias Parameters = [(name: String, value: String)]
        let attacks: [(CallbackFault, @Sendable (inout Parameters) -> Void)] = [
            (.state, { $0[0].value = "another" }), (.state, { $0.removeFirst() }), (.state, { $0 = [(name: "error", value: "access_denied")] }),
            (.issuer, { $0[2].value = "https://evil.example" }), (.issuer, { $0.removeLast() }),
            (.issuer, { $0[2].value = "https://login.example/" }),
            (.twice, { $0.append((name: "code", value: "of-a-thief")) }), (.codeMissing, { $0.remove(at: 1) }), (.codeMissing, { $0[1].value = "" }),
        ]
        for (fault, attack) in attacks {
            let world = try TokenFixture()
            world.server.with { $0.lies.callback = attack }
            let client = world.process()
            await #expect(throws: TokenError.callback(fault)) { try await client.logIn(in: world.browser) }
            #expect(world.server.calls(to: "/oauth/token") == 0)
            #expect(try await client.credentials() == nil)
        }
        for address in ["com.example.timesheets:/other", "https://evil.example/cb", "com.example.timesheets://host/cb"] {
            let world = try TokenFixture()
            let elsewhere = PersonAtBrowser { [server = world.server] in
                try #require(URL(string: "\(address)?\(server.authorize($0).query(percentEncoded: true) ?? "")"))
            }
            await #expect(throws: TokenError.callback(.address)) { try await world.process().logIn(in: elsewhere) }
            #expect(world.server.calls(to: "/oauth/token") == 0)
        }
    }

    @Test("What the provider says by the browser is told apart: a no, a login that would be needed, a busy server, any other word")
    func providerErrors() async throws {
        let words: [(String, TokenError)] = [
            ("access_denied", .denied), ("login_required", .interactionRequired), ("server_error", .serverBusy),
            ("invalid_scope", .refused(.invalidScope)), ("something", .refused(.other)),
        ]
        for (word, error) in words {
            let world = try TokenFixture()
            world.server.with { $0.lies.callback = { $0[1] = (name: "error", value: word) } }
            await #expect(throws: error) { try await world.process().logIn(in: world.browser) }
        }
    }

    @Test("S3-34 a code goes out once: where its answer is lost the login begins anew, and then is good")
    func lostAnswer() async throws {
        for mishap in [TokenServer.Mishap.lostRequest, .lostAnswer, .status(503), .status(502)] {
            let world = try TokenFixture()
            world.server.with { $0.mishaps["/oauth/token"] = [mishap] }
            let client = world.process()
            await #expect(throws: TokenError.codeSpent) { try await client.logIn(in: world.browser) }
            #expect(world.server.calls(to: "/oauth/token") == 1)
            #expect(TokenError.codeSpent.advice == .logIn)
            try await client.logIn(in: world.browser)
            #expect(try await client.credentials() != nil)
            #expect(try world.isTidy)
        }
    }

    @Test("Metadata of another issuer, without PKCE, without proofs, with an address of this machine or none: no browser is opened")
    func metadata() async throws {
        let lies: [(MetadataFault, @Sendable (inout JSONObject) -> Void)] = [
            (.issuer, { $0["issuer"] = .string("https://login.example/") }), (.issuer, { $0["issuer"] = nil }),
            (.pkce, { $0["code_challenge_methods_supported"] = .strings(["plain"]) }), (.pkce, { $0["code_challenge_methods_supported"] = nil }),
            (.dpop, { $0["dpop_signing_alg_values_supported"] = .strings(["EdDSA"]) }),
            (.endpoint, { $0["token_endpoint"] = .string("http://127.0.0.1/oauth/token") }), (.endpoint, { $0["jwks_uri"] = nil }),
            (.endpoint, { $0["authorization_endpoint"] = .string("http://login.example/authorize") }),
        ]
        for (fault, lie) in lies {
            let world = try TokenFixture()
            world.server.with { $0.lies.metadata = lie }
            await #expect(throws: TokenError.metadata(fault)) { try await world.process().logIn(in: world.browser) }
            #expect(world.server.with { $0.opened.isEmpty })
        }
        #expect(TokenError.metadata(.pkce).advice == .askDeveloper)
    }

    @Test("Settings that cannot be are said so before anybody is called")
    func settings() async throws {
        let wrong: [(SettingsFault, (inout TokenSettings) -> Void)] = [
            (.issuer, { $0.issuer = "http://login.example" }), (.issuer, { $0.issuer = "https://login.example/" }), (.clientID, { $0.clientID = "" }),
            (.scope, { $0.scope = " " }), (.redirectURL, { $0.redirectURL = nil }),
            (.redirectURL, { $0.redirectURL = URL(string: "com.example.timesheets:/cb?a=b") }),
        ]
        for (fault, change) in wrong {
            var world = try TokenFixture()
            change(&world.settings)
            await #expect(throws: TokenError.settings(fault)) { try await world.process().logIn(in: world.browser) }
            #expect(world.server.calls.isEmpty)
        }
    }

    @Test("Who closes the browser is nobody; the login before goes on, and no key is left")
    func cancelled() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        let keys = world.keys.names
        await #expect(throws: TokenError.cancelled) { try await client.logIn(in: PersonAtBrowser { _ in throw BrowserError.cancelled }) }
        await #expect(throws: TokenError.browserUnavailable) { try await client.logIn(in: PersonAtBrowser { _ in throw BrowserError.unavailable }) }
        #expect(world.keys.names == keys)
        #expect(try await client.credentials()?.profile?.subject == "alice")
    }

    @Test("One login at a time: a second that is begun in the browser's time is told so")
    func twoLogins() async throws {
        let world = try TokenFixture()
        let client = world.process()
        let inner = Mutex<TokenError?>(nil)
        struct Nested: WebBrowser {
            let base: PersonAtBrowser
            let during: @Sendable () async -> Void
            func visit(redirectURL: URL) async throws(BrowserError) -> any BrowserVisit {
                await during()
                return try await base.visit(redirectURL: redirectURL)
            }
        }
        let browser = Nested(base: world.browser) {
            do throws(TokenError) { try await client.logIn(in: world.browser) } catch { inner.withLock { $0 = error } }
        }
        try await client.logIn(in: browser)
        #expect(inner.withLock { $0 } == .inProgress)
    }

    @Test("A provider that answers a proof with a token that anybody could use, or with something that is none, has given nothing")
    func answers() async throws {
        let lies: [@Sendable (inout JSONObject) -> Void] = [
            { $0["token_type"] = .string("Bearer") }, { $0["token_type"] = nil }, { $0["access_token"] = nil },
            { $0["access_token"] = .string("a\r\nb") }, { $0["expires_in"] = .string("300") }, { $0["scope"] = .integer(1) },
        ]
        for lie in lies {
            let world = try TokenFixture()
            world.server.with { $0.lies.answer = lie }
            await #expect(throws: TokenError.serverAnswer) { try await world.process().logIn(in: world.browser) }
            #expect(try world.stored.logins.isEmpty)
            #expect(world.keys.names.isEmpty)
        }
    }

    @Test("Where the next person logs in, the login before is revoked")
    func nextPerson() async throws {
        let world = try TokenFixture()
        let client = try await world.loggedIn()
        world.server.with { $0.subject = "bob" }
        #expect(try await client.logIn(in: world.browser, asksAnew: true).profile?.subject == "bob")
        #expect(world.server.with { $0.revoked } == ["refresh.0.0"])
        #expect(world.server.with { $0.opened.last?.absoluteString.contains("prompt=login") } == true)
        #expect(try world.stored.logins.count == 1)
        #expect(try world.stored.ended.isEmpty)
        #expect(world.keys.names.count == 2, "its secret and its key")
    }
}
