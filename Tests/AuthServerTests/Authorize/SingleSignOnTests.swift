import Authentication
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("A browser is known again", .onBothEngines, .timeLimit(.minutes(10)))
struct SingleSignOnTests {
    private static let silent = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "none"])

    private func error(_ answer: TestResponse) -> String? { Browser.parameter("error", of: answer.headers[.location]) }
    private func code(_ answer: TestResponse) -> String? { Browser.parameter("code", of: answer.headers[.location]) }

    @Test("Who is logged in gets the next code at once, with prompt=none too, and only the code is written")
    func again() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let pages = try await fixture.count("page")
            for request in [Browser.request(), Self.silent] {
                let answer = try await browser.authorize(request)
                #expect(code(answer) != nil && answer.headers[values: .setCookie].isEmpty)
            }
            #expect(try await fixture.count("page") == pages)
            #expect(try await fixture.count("oauth_pushed") == 1)
            // Another browser has no part in it.
            #expect(error(try await browser.another().authorize(Self.silent)) == "login_required")
        }
    }

    enum End: CaseIterable, Sendable { case stop, block, timeout, logout }

    @Test("The end of the login is the end of it: a stop on the phone, a block, a time-out, a logout", arguments: End.allCases)
    func ends(_ end: End) async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let nonce = try #require(browser.logins.first)
            switch end {
            case .stop: try await fixture.stop(nonce)
            case .block:
                _ = try await fixture.domain.accounts.setBlocked(true, alice.id, at: fixture.server, by: .operator, now: fixture.clock.now)
            case .timeout: fixture.clock.advance(100_000_000)
            case .logout: try await fixture.domain.sessions.logOut(nonce, at: fixture.server, by: .page, now: fixture.clock.now)
            }
            #expect(error(try await browser.authorize(Self.silent)) == "login_required")
            _ = try await browser.openLogin(try await browser.authorize(Browser.request()))
        }
    }

    @Test("prompt=login asks again; the same person's former login goes on with what was given on it")
    func anew() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let first = try #require(browser.logins.first)
            fixture.clock.advance(10)
            let request = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "login"])
            #expect(code(try await browser.logIn(try await browser.authorize(request), as: alice)) != nil)
            #expect(browser.logins.count == 2 && browser.logins.last?.hash == first.hash)
            for nonce in browser.logins { #expect(try await fixture.session(nonce).login != nil) }
        }
    }

    @Test("Another person who logs in ends what the one before had in this browser")
    func anotherPerson() async throws {
        let fixture = try await AuthorizeFixture()
        let (alice, bob) = (try await fixture.addAccount(), try await fixture.addAccount("bob"))
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let first = try #require(browser.logins.first)
            fixture.clock.advance(10)
            let request = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "select_account"])
            #expect(code(try await browser.logIn(try await browser.authorize(request), as: bob)) != nil)
            #expect(browser.logins.count == 1)
            #expect(try await fixture.session(first).login == nil)
        }
    }

    @Test("Of more than four logins of a browser the oldest ends")
    func many() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let request = Browser.request("shop", AuthorizeFixture.callback, ["prompt": "login"])
            var first: SessionNonce?
            for _ in 0..<5 {
                _ = try await browser.logIn(try await browser.authorize(request), as: alice)
                if first == nil { first = browser.logins.first }
                fixture.clock.advance(10)
            }
            #expect(browser.logins.count == 4)
            #expect(try await fixture.session(try #require(first)).login == nil)
        }
    }

    @Test("The attack of an old login beside a new request: what counts as fresh is not in the cookie")
    func oldSecret() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let old = try await browser.openLogin(try await browser.authorize(Browser.request()))
            _ = try await browser.comeBack(old, try await fixture.approve(alice, old.nonce))
            fixture.clock.advance(60)
            let new = try await browser.openLogin(
                try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, ["prompt": "login"])))
            let forged = Visit(secret: old.secret, subject: new.subject, begunAt: old.begunAt)
            browser.cookies["__Host-ostiary-visit-\(forged.id.text)"] = forged.text
            let answer = try await browser.get("/authorize/continue?visit=\(forged.id.text)")
            #expect(code(answer) == nil && error(answer) == "login_required")
        }
    }

    @Test("max_age is met by a login that is new enough, and asks again of an older one")
    func maxAge() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            let request = Browser.request("shop", AuthorizeFixture.callback, ["max_age": "60"])
            fixture.clock.advance(60)
            #expect(code(try await browser.authorize(request)) != nil)
            fixture.clock.advance(1)
            #expect(code(try await browser.logIn(try await browser.authorize(request), as: alice)) != nil)
        }
    }

    @Test("A cookie that comes twice, or is none of ours, is nobody's")
    func strange() throws {
        let cookies = ProviderCookies(isSecure: true)
        let secret = PageSecret(using: SystemRandomSource())
        let name = "__Host-ostiary-logins-\(Sample.server.text)"
        func found(_ header: String) -> Int { cookies.logins(at: Sample.server, in: [.cookie: header]).count }
        #expect(found("\(name)=\(secret.text)") == 1 && found("a=b; \(name)=\(secret.text).\(secret.text)") == 2)
        for header in [
            "\(name)=\(secret.text); \(name)=\(secret.text)", "\(name)=x", "\(name)=", "ostiary-logins-\(Sample.server.text)=\(secret.text)",
        ] {
            #expect(found(header) == 0, "\(header)")
        }
        let visit = Visit(secret: secret, subject: .device(Sample.bytes(7)), begunAt: Instant(5))
        let field = "__Host-ostiary-visit-\(visit.id.text)"
        #expect(cookies.visit(visit.id, in: [.cookie: "\(field)=\(visit.text)"])?.subject == visit.subject)
        let other = PageID(of: PageSecret(using: SystemRandomSource()))
        for header in ["\(field)=\(visit.text); \(field)=\(visit.text)", "\(field)=\(visit.text.dropLast(3))", "\(field)=\(visit.text).1"] {
            #expect(cookies.visit(visit.id, in: [.cookie: header]) == nil, "\(header)")
        }
        #expect(cookies.visit(other, in: [.cookie: "__Host-ostiary-visit-\(other.text)=\(visit.text)"]) == nil)
        #expect("\(visit)" == "‹secret›")
    }
}
