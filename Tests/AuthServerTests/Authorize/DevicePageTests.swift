import Authentication
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Device codes that people type", .timeLimit(.minutes(10)))
struct DevicePageTests {
    /// A device shows this code, and asks with that one.
    private func begin(_ fixture: AuthorizeFixture) async throws -> DeviceService.Begun {
        try await fixture.oauth.devices.begin(
            try call(fixture, "/oauth/device/code", ["scope": "openid read", "audience": AuthorizeFixture.api.text]), at: fixture.clock.now)
    }

    private func call(_ fixture: AuthorizeFixture, _ path: String, _ parameters: KeyValuePairs<String, String>) throws -> TokenCall {
        TokenCall(
            server: fixture.server, method: "POST", contentType: "application/x-www-form-urlencoded",
            parameters: [Parameter("client_id", "app")] + parameters.map { Parameter($0, $1) },
            target: try #require(HTTPTarget(AuthorizeFixture.origin + path)))
    }

    private func poll(_ fixture: AuthorizeFixture, _ begun: DeviceService.Begun) async throws -> TokenResponse {
        let parameters: KeyValuePairs = ["grant_type": GrantType.deviceCode.rawValue, "device_code": begun.deviceCode]
        return try await fixture.oauth.token.answer(try call(fixture, "/oauth/token", parameters), at: fixture.clock.now)
    }

    private func type(_ code: String, in browser: Browser, origin: String? = AuthorizeFixture.origin) async throws -> TestResponse {
        try await browser.post("/device/code", #"{"code":"\#(code)"}"#, origin: origin)
    }

    /// Where the page of a typed code goes.
    private func location(_ answer: TestResponse) -> String? { JSONObject(answer.body).text("location") }

    @Test("A code that is typed leads to a login and to a question; a yes gives the device its tokens")
    func allowed() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        let begun = try await begin(fixture)
        try await fixture.run { (browser) async throws in
            #expect(try await browser.get("/device?user_code=\(begun.userCode.shown)").status == .ok)
            let typed = try await type(begun.userCode.shown.lowercased(), in: browser)
            let visit = try await browser.openLogin(at: location(typed), typed)
            let shown = try await fixture.session(visit.nonce).request
            #expect(shown.client?.name == "App" && shown.shown.info.map(\.text) == ["know who you are; read your things"])
            let (asked, name) = try await browser.question(try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce)))
            #expect(asked.text("state") == "device" && asked.text("client") == "App")
            #expect(asked.texts("scopes") == ["know who you are", "read your things"])
            let answer = try await browser.decide(name, asked.text("mark"), allow: true)
            #expect(JSONObject(answer.body).text("state") == "allowed" && browser.visits.isEmpty)
        }
        #expect(try await poll(fixture, begun).idToken != nil)
    }

    @Test("A no is told to the device")
    func refused() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        let begun = try await begin(fixture)
        try await fixture.run { (browser) async throws in
            let typed = try await type(begun.userCode.shown, in: browser)
            let visit = try await browser.openLogin(at: location(typed), typed)
            let (asked, name) = try await browser.question(try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce)))
            #expect(JSONObject(try await browser.decide(name, asked.text("mark"), allow: false).body).text("state") == "refused")
        }
        await #expect(throws: TokenRefusal.self) { try await poll(fixture, begun) }
    }

    @Test("Whoever is logged in is asked too, and a code that was decided is over")
    func loggedIn() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        let begun = try await begin(fixture)
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let (first, one) = try await browser.question(at: location(try await type(begun.userCode.shown, in: browser)))
            let (second, other) = try await browser.question(at: location(try await type(begun.userCode.shown, in: browser)))
            #expect(JSONObject(try await browser.decide(one, first.text("mark"), allow: true).body).text("state") == "allowed")
            #expect(try await browser.decide(other, second.text("mark"), allow: true).status == .unauthorized)
        }
    }

    @Test("dev_user_code_bruteforce_locked: five wrong codes, then none is taken for five minutes; what is no code does not count")
    func locked() async throws {
        let fixture = try await AuthorizeFixture()
        let begun = try await begin(fixture)
        try await fixture.run { (browser) async throws in
            for _ in 0..<6 { #expect(JSONObject(try await type("what", in: browser).body).text("outcome") == "wrong") }
            let wrong = begun.userCode.shown == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB"
            for _ in 0..<5 { #expect(JSONObject(try await type(wrong, in: browser).body).text("outcome") == "wrong") }
            let answer = try await type(begun.userCode.shown, in: browser)
            #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] == "300")
            fixture.clock.advance(300)
            #expect(JSONObject(try await type(begun.userCode.shown, in: browser).body).text("location") != nil)
        }
    }

    @Test("dev_escape_user_code: what a link brings or somebody types as a code stands in no page and no answer of ours")
    func markup() async throws {
        try await AuthorizeFixture().run { (browser) async throws in
            let text = "<script>alert(1)</script>"
            let page = try await browser.get("/device?user_code=\(AuthorizeResponse.escaped(text))")
            #expect(page.status == .ok && !String(buffer: page.body).contains("alert(1)"))
            let typed = try await type(text, in: browser)
            #expect(JSONObject(typed.body).text("outcome") == "wrong" && !String(buffer: typed.body).contains("alert(1)"))
        }
    }

    @Test("dev_csrf: no other site types a code")
    func foreign() async throws {
        let fixture = try await AuthorizeFixture()
        let begun = try await begin(fixture)
        try await fixture.run { (browser) async throws in
            for origin in ["https://evil.example", nil] {
                #expect(try await type(begun.userCode.shown, in: browser, origin: origin).status == .forbidden)
            }
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("Wrong codes of one behind a trusted proxy lock nobody else behind it; of a proxy that is not trusted nobody is told from another")
    func proxies() async throws {
        for (proxies, isTrusted) in [(TrustedProxies([.socket]), true), (TrustedProxies.none, false)] {
            let fixture = try await AuthorizeFixture(proxies: proxies)
            let begun = try await begin(fixture)
            try await fixture.run { (browser) async throws in
                let wrong = begun.userCode.shown == "BBBB-BBBB" ? "CCCC-CCCC" : "BBBB-BBBB"
                func type(_ code: String, from list: String) async throws -> HTTPResponse.Status {
                    let headers: HTTPFields = [
                        .contentType: "application/json", .origin: AuthorizeFixture.origin, HTTPField.Name("X-Forwarded-For")!: list,
                    ]
                    let body = ByteBuffer(string: #"{"code":"\#(code)"}"#)
                    return try await browser.client.execute(uri: "/device/code", method: .post, headers: headers, body: body).status
                }
                // What stands first is whatever the attacker wrote.
                for number in 0..<5 { #expect(try await type(wrong, from: "192.0.2.\(number), 203.0.113.7") == .ok) }
                #expect(try await type(wrong, from: "198.51.100.1, 203.0.113.7") == .tooManyRequests)
                #expect(try await type(begun.userCode.shown, from: "203.0.113.8") == (isTrusted ? .ok : .tooManyRequests))
            }
        }
    }
}
