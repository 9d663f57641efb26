import Authentication
import Database
import HTTPTypes
import HummingbirdTesting
import OAuthProvider
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@testable import AuthServer

/// Whatever a browser with two tabs sends, and however much at once: of one request its client hears one thing.
@Suite("A visit has one answer for its client", .onBothEngines, .timeLimit(.minutes(10)))
struct OneAnswerTests {
    private static let callers = 8
    private static let rounds = 4
    /// The website of somebody else, whose person is asked each time.
    private static let asking = Browser.reports(["prompt": "consent"])

    /// Where the script of the page goes with what a decision was answered.
    private func location(_ answer: TestResponse) -> String? { JSONObject(answer.body).text("location") }

    /// A code, or that there is none.
    private func expect(_ told: String?, isYes: Bool) {
        #expect((Browser.parameter("code", of: told) != nil) == isYes, "\(told ?? "")")
        #expect(Browser.parameter("error", of: told) == (isYes ? nil : "access_denied"), "\(told ?? "")")
    }

    @Test("After a yes or a no whatever a tab that has kept the cookie says is late: it is told so, and the client hears nothing more")
    func afterOne() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
            for isYes in [true, false] {
                let (asked, visit) = try await browser.question(try await browser.authorize(Self.asking))
                let (kept, mark) = (browser.cookies, asked.text("mark"))
                let told = location(try await browser.decide(visit, mark, allow: isYes))
                expect(told, isYes: isYes)
                for allow in [true, false] {
                    browser.cookies = kept
                    let late = try await browser.decide(visit, mark, allow: allow)
                    #expect(late.status == .conflict && location(late) == nil, "\(isYes), then \(allow)")
                }
                for way in ["continue", "cancel"] {
                    browser.cookies = kept
                    let late = try await browser.get("/authorize/\(way)?visit=\(visit)")
                    #expect(late.status == .badRequest && late.headers[.location] == nil, "\(isYes), then \(way)")
                }
                if isYes { #expect(try await fixture.tokens(told, client: "reports", redirect: AuthorizeFixture.reports).idToken != nil) }
            }
        }
    }

    @Test("Whoever left the login page has said no: a login that goes on in a tab which was kept gives the client no code")
    func afterLeaving() async throws {
        let fixture = try await AuthorizeFixture()
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let visit = try await browser.openLogin(try await browser.authorize(Browser.request()))
            let kept = browser.cookies
            expect(try await browser.get("/authorize/cancel?visit=\(visit.id.text)").headers[.location], isYes: false)
            browser.cookies = kept
            let late = try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce))
            #expect(late.status == .badRequest && late.headers[.location] == nil)
        }
        for table in ["oauth_code", "oauth_grant"] { #expect(try await fixture.count(table) == 0) }
    }

    @Test(
        "Of eight decisions at once the client hears one; the others are told what a second one is told",
        arguments: [[true], [false], [true, false]])
    func decisions(_ answers: [Bool]) async throws {
        try await withSeparateConnections { database in
            let fixture = try await AuthorizeFixture(over: database)
            let alice = try await fixture.addAccount()
            try await fixture.run { (browser) async throws in
                _ = try await browser.logIn(try await browser.authorize(Browser.request()), as: alice)
                for _ in 0..<Self.rounds {
                    let (asked, visit) = try await browser.question(try await browser.authorize(Self.asking))
                    let (before, mark) = (try await fixture.count("oauth_code"), asked.text("mark"))
                    let heard = try await browser.atOnce(Self.callers) { tab, number in
                        try await tab.decide(visit, mark, allow: answers[number % answers.count])
                    }
                    let told = heard.compactMap { location($0) }
                    #expect(told.count == 1 && heard.count { $0.status == .conflict } == Self.callers - 1, "\(told)")
                    let codes = try await fixture.count("oauth_code") - before
                    expect(told.first, isYes: codes == 1)
                    #expect(answers.contains(codes == 1))
                }
            }
        }
    }

    @Test("Of eight ways on at once, and of ways on and back, the client hears one; the others are told that it is over", arguments: [false, true])
    func ways(isLeft: Bool) async throws {
        try await withSeparateConnections { database in
            let fixture = try await AuthorizeFixture(over: database)
            let alice = try await fixture.addAccount()
            try await fixture.run { (browser) async throws in
                for _ in 0..<Self.rounds {
                    let person = browser.another()
                    let visit = try await person.openLogin(try await person.authorize(Browser.request()))
                    let code = try await fixture.approve(alice, visit.nonce)
                    let before = try await fixture.count("oauth_code")
                    let heard = try await person.atOnce(Self.callers) { tab, number in
                        guard isLeft, number.isMultiple(of: 2) else { return try await tab.comeBack(visit, code) }
                        return try await tab.get("/authorize/cancel?visit=\(visit.id.text)")
                    }
                    let told = heard.compactMap { $0.headers[.location] }
                    #expect(told.count == 1 && heard.count { $0.status == .badRequest } == Self.callers - 1, "\(told)")
                    let codes = try await fixture.count("oauth_code") - before
                    expect(told.first, isYes: codes == 1)
                    #expect(isLeft || codes == 1)
                }
            }
        }
    }
}
