import Authentication
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Browsers of clients that registered themselves", .timeLimit(.minutes(10)))
struct SelfRegisteredVisitTests {
    /// The website of somebody else, as if it had registered itself.
    private func premises() async throws -> AuthorizeFixture {
        let fixture = try await AuthorizeFixture()
        let (id, server, now) = (try #require(ClientID("reports")), fixture.server, fixture.clock.now)
        try await fixture.oauthStore.write { rows in try rows.noteRegistered(id, of: server, at: now) }
        return fixture
    }

    @Test(
        "The attack of an open redirect by a client of one's own: before a person has seen who asks, an error is a page of ours, however it is asked for"
    )
    func errors() async throws {
        let fixture = try await premises()
        try await fixture.run { (browser) async throws in
            for (name, value) in [("prompt", "none"), ("scope", "unheard-of"), ("response_type", "token"), ("code_challenge_method", "plain")] {
                for mode in ["query", "form_post"] {
                    let answer = try await browser.authorize(Browser.reports([name: value, "response_mode": mode]))
                    #expect(answer.status == .badRequest && answer.headers[.location] == nil, "\(name) \(mode)")
                    #expect(answer.headers[.contentSecurityPolicy]?.contains("form-action 'none'") == true)
                }
            }
        }
    }

    @Test("Who has seen it may go: by leaving the login page, by refusing, and with a code, also without being asked again")
    func seen() async throws {
        let fixture = try await premises()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let left = try await browser.openLogin(try await browser.authorize(Browser.reports()))
            let address = try await browser.get("/authorize/cancel?visit=\(left.id.text)").headers[.location]
            #expect(Browser.parameter("error", of: address) == "access_denied")
            let (asked, visit) = try await browser.question(try await browser.logIn(try await browser.authorize(Browser.reports()), as: alice))
            #expect(asked.text("state") == "consent")
            let answer = JSONObject(try await browser.decide(visit, asked.text("mark"), allow: true).body)
            #expect(Browser.parameter("code", of: answer.text("location")) != nil)
            let silent = try await browser.authorize(Browser.reports(["prompt": "none"])).headers[.location]
            #expect(Browser.parameter("code", of: silent) != nil)
        }
    }
}
