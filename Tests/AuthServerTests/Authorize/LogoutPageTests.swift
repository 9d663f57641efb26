import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("RP-initiated logout as its person sees it", .timeLimit(.minutes(10)))
struct LogoutPageTests {
    /// A browser that is logged in, and an ID token of its login.
    private func loggedIn(_ browser: Browser) async throws -> String {
        let alice = try await browser.fixture.addAccount()
        let answer = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
        return try #require(try await browser.fixture.tokens(answer.headers[.location]).idToken)
    }

    private func address(_ hint: String?, _ target: String? = AuthorizeFixture.bye) -> String {
        let target = target.map { "post_logout_redirect_uri=\(AuthorizeResponse.escaped($0))&state=a%20b" }
        return "/logout?" + [hint.map { "id_token_hint=\($0)" }, target].compactMap(\.self).joined(separator: "&")
    }

    private func isLoggedIn(_ browser: Browser) async throws -> Bool {
        let location = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, ["prompt": "none"])).headers[.location]
        return Browser.parameter("code", of: location) != nil
    }

    @Test("A client with a token of this browser's login logs it out at once, and has the browser back with its state")
    func good() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let nonce = try #require(browser.logins.first)
            let answer = try await browser.get(address(hint))
            #expect(answer.status == .seeOther && answer.headers[.location] == "\(AuthorizeFixture.bye)?state=a%20b")
            #expect(browser.cookies.keys.allSatisfy { !$0.contains("logins") })
            #expect(try await fixture.session(nonce).login == nil)
            let isIn = try await isLoggedIn(browser)
            #expect(!isIn)
            // Once more: nobody is there, and the client has its browser back all the same.
            #expect(try await browser.get(address(hint)).headers[.location] == "\(AuthorizeFixture.bye)?state=a%20b")
            #expect(try await browser.get(address(hint, nil)).headers[.location] == "\(AuthorizeFixture.origin)/logout/done")
        }
    }

    @Test("logout_no_hint_confirms: without a token the person is asked, and nothing ends before they say so")
    func asked() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            _ = try await loggedIn(browser)
            let page = try await browser.get("/logout?client_id=shop&post_logout_redirect_uri=\(AuthorizeResponse.escaped(AuthorizeFixture.bye))")
            #expect(page.status == .ok && page.headers[.location] == nil)
            #expect(try await isLoggedIn(browser))
            let query = "client_id=shop&post_logout_redirect_uri=\(AuthorizeResponse.escaped(AuthorizeFixture.bye))"
            for origin in ["https://shop.example", nil] {
                #expect(try await browser.post("/logout/decision", #"{"query":"\#(query)"}"#, origin: origin).status == .forbidden)
            }
            #expect(try await isLoggedIn(browser))
            let answer = try await browser.post("/logout/decision", #"{"query":"\#(query)"}"#)
            #expect(JSONObject(answer.body).text("location") == AuthorizeFixture.bye)
            let isIn = try await isLoggedIn(browser)
            #expect(!isIn)
        }
    }

    @Test("A token of another login logs nobody out by a link: the person is asked")
    func foreign() async throws {
        let fixture = try await AuthorizeFixture()
        let bob = try await fixture.addAccount("bob")
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let other = browser.another()
            _ = try await other.logIn(try await other.authorize(Browser.request()), as: bob)
            let answer = try await other.get(address(hint))
            #expect(answer.status == .ok && answer.headers[.location] == nil)
            for one in [browser, other] { #expect(try await isLoggedIn(one)) }
        }
    }

    @Test("A browser that was closed has lost its login, and the client's token still ends it")
    func closed() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let nonce = try #require(browser.logins.first)
            #expect(try await browser.another().get(address(hint)).headers[.location] == "\(AuthorizeFixture.bye)?state=a%20b")
            #expect(try await fixture.session(nonce).login == nil)
        }
    }

    @Test("logout_bad_post_redirect: the person may log out, and is sent nowhere; a token that is none of ours is an error")
    func wrong() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            for path in [
                address(hint, "https://evil.example/"), address(hint, "\(AuthorizeFixture.bye)?x=y"), address(nil), address(hint) + "&state=b",
            ] {
                let answer = try await browser.get(path)
                #expect(answer.status == .ok && answer.headers[.location] == nil, "\(path)")
            }
            for path in [address("x"), address(String(hint.dropLast(4)) + "AAAA")] {
                let answer = try await browser.get(path)
                #expect(answer.status == .badRequest && answer.headers[.location] == nil)
                #expect(String(buffer: answer.body).contains("id_token_hint is not an ID token of this provider"))
            }
            #expect(try await isLoggedIn(browser))
            let query = String(address(hint, "https://evil.example/").dropFirst("/logout?".count))
            let answer = try await browser.post("/logout/decision", #"{"query":"\#(query)"}"#)
            #expect(JSONObject(answer.body).text("location") == "\(AuthorizeFixture.origin)/logout/done")
        }
    }

    @Test("logout_hint_key_gone: a token by a key that is published no more ends nothing by itself, and is no error: the person is asked")
    func keyGone() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let claims = try UnverifiedJWS(compact: hint).claimed
            // What the server sees after its keys were replaced: our name, and a key that it does not publish.
            let former = try LocalSigner(.es256, stored: Sample.bytes(97)).sign(claims, as: .idToken)
            let page = try await browser.get(address(former))
            #expect(page.status == .ok && page.headers[.location] == nil)
            #expect(try await isLoggedIn(browser))
            // A browser without a login: it may be anybody's link, and ends no session and leads nowhere.
            let elsewhere = try await browser.another().get(address(former))
            #expect(elsewhere.headers[.location] == "\(AuthorizeFixture.origin)/logout/done")
            #expect(try await isLoggedIn(browser))
            for (client, location) in [("", "\(AuthorizeFixture.origin)/logout/done"), ("&client_id=shop", "\(AuthorizeFixture.bye)?state=a%20b")] {
                let query = String(address(former).dropFirst("/logout?".count)) + client
                let answer = try await browser.post("/logout/decision", #"{"query":"\#(query)"}"#)
                #expect(JSONObject(answer.body).text("location") == location)
                let isIn = try await isLoggedIn(browser)
                #expect(!isIn)
            }
        }
    }

    @Test("All that the browser is logged in with ends, and so does a login page that is open")
    func all() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let first = try #require(browser.logins.first)
            let alice = try #require(try await fixture.session(first).account)
            let account = try await fixture.domain.accounts.account(alice, at: fixture.server)
            fixture.clock.advance(5)
            let again = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "login"])
            _ = try await browser.logIn(try await browser.authorize(again), as: account)
            let both = browser.logins
            #expect(both.count == 2)
            // The token is of the older one.
            #expect(try await browser.get(address(hint)).status == .seeOther)
            for nonce in both { #expect(try await fixture.session(nonce).login == nil) }
        }
    }

    @Test("A logout that is posted is the same at the same address by GET")
    func posted() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            let hint = try await loggedIn(browser)
            let query = String(address(hint).dropFirst("/logout?".count))
            let turned = try await browser.postForm("/logout", query)
            #expect(turned.status == .seeOther)
            #expect(try await browser.get(try #require(turned.headers[.location])).headers[.location] == "\(AuthorizeFixture.bye)?state=a%20b")
        }
    }
}
