import Authentication
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTokens
import Testing

@testable import AuthServer

@Suite("Consent", .onBothEngines, .timeLimit(.minutes(10)))
struct ConsentTests {
    private func location(_ answer: TestResponse) -> String? { JSONObject(answer.body).text("location") }

    @Test("The website of somebody else asks: the page shows who, and for what in words; a yes is remembered, of what was said")
    func allowed() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            #expect(asked.text("state") == "consent" && asked.text("server") == "Timesheets")
            #expect(asked.text("client") == "Reports" && asked.text("site") == "https://reports.example")
            #expect(asked.texts("scopes") == ["know who you are", "read your things"])
            let answer = try await browser.decide(visit, asked.text("mark"), allow: true)
            #expect(answer.status == .ok && answer.headers[.location] == nil)
            let to = try #require(location(answer))
            #expect(to.hasPrefix("\(AuthorizeFixture.reports)&code="))
            let tokens = try await fixture.tokens(to, client: "reports", redirect: AuthorizeFixture.reports)
            #expect(tokens.scopes.text == "openid read")
            #expect(browser.visits.isEmpty)
            // The next time only for what is new.
            #expect(Browser.parameter("code", of: try await browser.authorize(Browser.reports()).headers[.location]) != nil)
            let (more, _) = try await browser.question(try await browser.authorize(Browser.reports(["scope": "openid read write"])))
            #expect(more.texts("scopes") == ["change them"])
        }
    }

    @Test("claims-essential: what a client asks for by name is in the question, and in the ID token after a yes; what it did not name is not")
    func claims() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let request = Browser.reports(["claims": #"{"id_token":{"name":{"essential":true}},"userinfo":{"email":null}}"#])
            let login = try await browser.openLogin(try await browser.authorize(request))
            // The phone shows the same.
            let shown = try await fixture.session(login.nonce).request.shown.info.map(\.text).joined()
            #expect(shown.contains("see your name and picture") && shown.contains("see your e-mail address"))
            let back = try await browser.comeBack(login, try await fixture.approve(alice, login.nonce))
            let (asked, visit) = try await browser.question(back)
            #expect(asked.texts("scopes") == ["know who you are", "read your things", "see your name and picture", "see your e-mail address"])
            let to = location(try await browser.decide(visit, asked.text("mark"), allow: true))
            let tokens = try await fixture.tokens(to, client: "reports", redirect: AuthorizeFixture.reports)
            #expect(tokens.scopes.text == "openid read")
            let claimed = try UnverifiedJWS(compact: try #require(tokens.idToken)).claimed
            #expect(claimed["name"] == .string("alice") && claimed["email"] == nil && claimed["picture"] == nil)
            // It was let have them, and asks no more; by another name it does.
            #expect(Browser.parameter("code", of: try await browser.authorize(request).headers[.location]) != nil)
        }
    }

    @Test("A no is told to the client, and nothing is given or remembered")
    func refused() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            let to = location(try await browser.decide(visit, asked.text("mark"), allow: false))
            #expect(Browser.parameter("error", of: to) == "access_denied" && Browser.parameter("state", of: to) == "state-1")
            #expect(browser.visits.isEmpty)
            _ = try await browser.question(try await browser.authorize(Browser.reports()))
        }
        for table in ["oauth_code", "oauth_grant", "oauth_consent"] { #expect(try await fixture.count(table) == 0) }
    }

    @Test("consent_csrf: another origin, no mark, a mark of something else, and a browser without the visit say yes to nothing")
    func forged() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            let mark = asked.text("mark")
            let (other, otherVisit) = try await browser.question(try await browser.authorize(Browser.reports(["scope": "openid"])))
            #expect(other.text("mark") != mark)
            for origin in ["https://reports.example", "null", nil] {
                #expect(try await browser.decide(visit, mark, allow: true, origin: origin).status == .forbidden)
            }
            // A form of a site at the same origin, too.
            let yes = #"{"mark":"\#(mark ?? "")","allow":true}"#
            for type in ["text/plain", "application/x-www-form-urlencoded"] {
                #expect(try await browser.post("/authorize/decision?visit=\(visit)", yes, type: type).status == .unsupportedMediaType)
            }
            for wrong in ["", "AAAA", other.text("mark"), mark.map { $0 + "AA" }] {
                #expect(try await browser.decide(visit, wrong, allow: true).status == .conflict)
            }
            #expect(try await browser.decide(otherVisit, mark, allow: true).status == .conflict)
            #expect(try await browser.another().decide(visit, mark, allow: true).status == .unauthorized)
            #expect(try await browser.get("/authorize/decision?visit=\(visit)").status == .methodNotAllowed)
        }
        for table in ["oauth_code", "oauth_grant", "oauth_consent"] { #expect(try await fixture.count(table) == 0) }
    }

    @Test("Who was shown less than is asked now is asked again")
    func changed() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.change("reports") { $0.apis = [AuthorizeFixture.api: []] }
        try await fixture.run { (browser) async throws in
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            #expect(asked.texts("scopes") == ["know who you are"])
            try await fixture.change("reports") { $0.apis = [AuthorizeFixture.api: Sample.scopes("read")] }
            #expect(try await browser.decide(visit, asked.text("mark"), allow: true).status == .conflict)
            let now = JSONObject(try await browser.get("/authorize/state?visit=\(visit)").body)
            #expect(now.texts("scopes") == ["know who you are", "read your things"])
            #expect(location(try await browser.decide(visit, now.text("mark"), allow: true)) != nil)
        }
    }

    @Test("A person says yes to what they read: a name, a site or words of a scope that were written otherwise meanwhile are shown first")
    func otherWords() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            var (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            let changes: [@Sendable () async throws -> Void] = [
                { try await fixture.changeWords(of: "read", to: "read and keep your things") },
                { try await fixture.change("reports") { $0.name = "Your Bank" } },
                { try await fixture.change("reports") { $0.siteURL = "https://bank.example" } },
            ]
            for change in changes {
                try await change()
                #expect(try await browser.decide(visit, asked.text("mark"), allow: true).status == .conflict)
                asked = JSONObject(try await browser.get("/authorize/state?visit=\(visit)").body)
            }
            #expect(asked.texts("scopes") == ["know who you are", "read and keep your things"])
            #expect(asked.text("client") == "Your Bank" && asked.text("site") == "https://bank.example")
            // Words of a scope that nobody asks for say nothing here, and the language of the page is no part of the question.
            try await fixture.changeWords(of: "write", to: "change or remove them")
            let german = JSONObject(try await browser.get("/authorize/state?visit=\(visit)&lang=de").body)
            #expect(german.text("mark") == asked.text("mark") && german.texts("scopes") != asked.texts("scopes"))
            #expect(location(try await browser.decide(visit, asked.text("mark"), allow: true)) != nil)
        }
        #expect(try await fixture.count("oauth_consent") == 1)
    }

    @Test("A login that ended while the page was open consents to nothing: the page goes back to the beginning")
    func loggedOut() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            try await fixture.stop(try #require(browser.logins.first))
            #expect(try await browser.decide(visit, asked.text("mark"), allow: true).status == .conflict)
            let address = "\(AuthorizeFixture.origin)/authorize/continue?visit=\(visit)"
            #expect(location(try await browser.get("/authorize/state?visit=\(visit)")) == address)
            _ = try await browser.openLogin(try await browser.get(browser.path(address)))
        }
    }

    @Test("An app at a scheme of its own is confirmed each time, the operator's own too; prompt=none asks nobody and gives nothing")
    func confirmed() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        let request = Browser.request("app", "com.example.app:/cb")
        try await fixture.run { (browser) async throws in
            for isFirst in [true, false] {
                let answer = try await browser.authorize(request)
                let (asked, visit) = try await browser.question(isFirst ? browser.logIn(answer, as: alice) : answer)
                #expect(asked.text("state") == "confirm" && asked.text("client") == "App" && asked.texts("scopes") == [])
                let to = try #require(location(try await browser.decide(visit, asked.text("mark"), allow: true)))
                #expect(to.hasPrefix("com.example.app:/cb?code="))
            }
            let silent = try await browser.authorize(Browser.request("app", "com.example.app:/cb", ["prompt": "none"])).headers[.location]
            #expect(Browser.parameter("error", of: silent) == "interaction_required")
            let third = try await browser.authorize(Browser.reports(["prompt": "none"])).headers[.location]
            #expect(Browser.parameter("error", of: third) == "consent_required")
        }
    }

    @Test("The page is in the language that the client asked for, and so are its words")
    func language() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let answer = try await browser.logIn(try await browser.authorize(Browser.reports(["ui_locales": "de"])), as: alice)
            let location = try #require(answer.headers[.location])
            #expect(location.hasSuffix("&lang=de"))
            let page = try await browser.get(browser.path(location))
            #expect(page.headers[.contentLanguage] == "de" && page.headers[.contentSecurityPolicy]?.contains("form-action 'none'") == true)
            let state = JSONObject(try await browser.get(browser.path(location).replacing("/consent?", with: "/state?")).body)
            #expect(state.texts("scopes")?.first == "wissen, wer Sie sind")
        }
    }
}
