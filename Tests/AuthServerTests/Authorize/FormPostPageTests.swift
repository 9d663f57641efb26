import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import Testing

@testable import AuthServer

@Suite("Answers that a browser posts", .timeLimit(.minutes(10)))
struct FormPostPageTests {
    private static let wish: KeyValuePairs<String, String?> = ["response_mode": "form_post", "state": "a\"><script>&"]

    private func policy(_ answer: TestResponse) -> [Substring] {
        (answer.headers[.contentSecurityPolicy] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
    }

    /// What the form of a page posts, and where.
    private func form(_ answer: TestResponse) throws -> (action: String, fields: [String: String]) {
        let html = String(buffer: answer.body)
        let action = try #require(html.firstMatch(of: /<form method="post" action="([^"]*)">/)).1
        let fields = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { (String($0.1), String($0.2)) }
        return (String(action), Dictionary(uniqueKeysWithValues: fields))
    }

    /// The page may send a form to the client and do nothing else that other pages can't.
    private func checkPage(_ answer: TestResponse, to origin: String) throws {
        #expect(answer.status == .ok && answer.headers[.location] == nil && answer.headers[.cacheControl] == "no-store")
        let rules = policy(answer)
        #expect(rules.contains("form-action \(origin)") && rules.contains("frame-ancestors 'none'") && rules.contains("script-src 'self'"))
        #expect(rules.contains("default-src 'none'") && answer.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
        let html = String(buffer: answer.body)
        #expect(html.contains(#"<script type="module" src="/pages/send.js"></script>"#) && html.matches(of: /<script/).count == 1)
        #expect(html.matches(of: /<form/).count == 1 && html.contains("<button"))
    }

    @Test("Who is logged in brings the code in a form: no address has it, nothing in a value becomes markup, and nobody keeps the page")
    func posted() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            for isFirst in [true, false] {
                let begun = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, Self.wish))
                let answer = isFirst ? try await browser.logIn(begun, as: alice) : begun
                try checkPage(answer, to: "https://shop.example")
                let (action, fields) = try form(answer)
                #expect(action == AuthorizeFixture.callback && Set(fields.keys) == ["code", "state", "iss"])
                #expect(fields["state"] == "a&quot;&gt;&lt;script&gt;&amp;" && fields["iss"] == AuthorizeFixture.origin)
                let code = try #require(fields["code"])
                #expect(try await fixture.tokens("?code=\(code)").scopes.text == "openid read")
                #expect(browser.visits.isEmpty)
            }
        }
    }

    @Test("An error comes the same way, at once or from a login page that was left; of a page that has no client nothing is posted")
    func errors() async throws {
        let fixture = try await AuthorizeFixture()
        try await fixture.run { (browser) async throws in
            for change: (String, String) in [("prompt", "none"), ("scope", "unheard-of"), ("code_challenge_method", "plain")] {
                let wish: KeyValuePairs<String, String?> = ["response_mode": "form_post", change.0: change.1]
                let answer = try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, wish))
                try checkPage(answer, to: "https://shop.example")
                let (_, fields) = try form(answer)
                #expect(fields["code"] == nil && fields["error"]?.isEmpty == false && fields["state"] == "state-1" && fields["iss"] != nil)
            }
            let visit = try await browser.openLogin(
                try await browser.authorize(Browser.request("shop", AuthorizeFixture.callback, ["response_mode": "form_post"])))
            let left = try await browser.get("/authorize/cancel?visit=\(visit.id.text)")
            try checkPage(left, to: "https://shop.example")
            #expect(try form(left).fields["error"] == "access_denied" && browser.visits.isEmpty)
            let stranger = try await browser.authorize(Browser.request("shop", "https://evil.example/", ["response_mode": "form_post"]))
            #expect(stranger.status == .badRequest && policy(stranger).contains("form-action 'none'"))
        }
    }

    @Test("The question's page may post to its client and to nobody else, and is told what; that of another visit may not")
    func asked() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let wish: KeyValuePairs<String, String?> = ["response_mode": "form_post"]
            let (asked, visit) = try await browser.question(
                try await browser.logIn(try await browser.authorize(Browser.reports(wish)), as: alice))
            let page = try await browser.get("/authorize/consent?visit=\(visit)")
            #expect(policy(page).contains("form-action https://reports.example") && page.headers[.eTag] == nil)
            #expect(page.headers[.cacheControl] == "no-store" && page.headers[HTTPField.Name("X-Frame-Options")!] == "DENY")
            // Without the cookie of the visit it is like any other.
            #expect(policy(try await browser.another().get("/authorize/consent?visit=\(visit)")).contains("form-action 'none'"))
            let (_, plain) = try await browser.question(try await browser.authorize(Browser.reports(["scope": "openid"])))
            #expect(policy(try await browser.get("/authorize/consent?visit=\(plain)")).contains("form-action 'none'"))

            let told = JSONObject(try await browser.decide(visit, asked.text("mark"), allow: true).body)
            #expect(told.text("location") == AuthorizeFixture.reports)
            let fields = try #require(told.object("form"))
            #expect(fields.names == ["code", "state", "iss"] && fields.text("state") == "state-1")
            let code = try #require(fields.text("code"))
            #expect(try await fixture.tokens("?code=\(code)", client: "reports", redirect: AuthorizeFixture.reports).scopes.text == "openid read")

            let (again, second) = try await browser.question(
                try await browser.authorize(Browser.reports(["response_mode": "form_post", "scope": "openid write"])))
            let no = JSONObject(try await browser.decide(second, again.text("mark"), allow: false).body)
            #expect(no.text("location") == AuthorizeFixture.reports && no.object("form")?.text("error") == "access_denied")
        }
    }

    @Test("An app's own scheme gets nothing posted: it is told in the address that this is not to be had")
    func scheme() async throws {
        try await AuthorizeFixture().run { (browser) async throws in
            let answer = try await browser.authorize(Browser.request("app", "com.example.app:/cb", ["response_mode": "form_post"]))
            #expect(answer.status == .seeOther && Browser.parameter("error", of: answer.headers[.location]) == "invalid_request")
        }
    }
}
