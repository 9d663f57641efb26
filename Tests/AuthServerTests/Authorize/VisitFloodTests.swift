import Authentication
import HTTPService
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("A flood of authorization requests", .timeLimit(.minutes(10)))
struct VisitFloodTests {
    private func premises(fromPlace: Int, atServer: Int = 100) async throws -> AuthorizeFixture {
        try await AuthorizeFixture(
            proxies: TrustedProxies([.socket]), visits: BegunVisits.Limit(fromPlace: fromPlace, atServer: atServer))
    }

    private func expectRefused(_ answer: TestResponse, _ status: HTTPResponse.Status, after seconds: String) {
        #expect(answer.status == status && answer.headers[.retryAfter] == seconds)
        #expect(answer.headers[.location] == nil && answer.headers[.setCookie] == nil)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8" && String(buffer: answer.body).contains("That did not work"))
    }

    private func expectRows(_ requests: Int, _ pages: Int, in fixture: AuthorizeFixture) async throws {
        #expect(try await fixture.count("oauth_pushed") == requests)
        #expect(try await fixture.count("page") == pages)
    }

    @Test("authz_pending_flood_bounded: a stranger's visits fill so many rows and no more, keep nobody elsewhere out, and are forgotten in time")
    func flood() async throws {
        let fixture = try await premises(fromPlace: 5)
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            for number in 0..<40 {
                let stranger = browser.another(from: "203.0.113.7")
                let answer = try await stranger.authorize(Browser.request("shop", AuthorizeFixture.callback, ["state": "\(number)"]))
                guard number >= 5 else {
                    #expect(answer.status == .seeOther)
                    continue
                }
                expectRefused(answer, .tooManyRequests, after: "1800")
            }
            try await expectRows(5, 5, in: fixture)
            #expect(fixture.log.lines("request refused").first?.facts["reason"] == "visitsFromPlace")
            let person = browser.another(from: "203.0.113.8")
            let answer = try await person.logIn(try await person.authorize(Browser.request()), as: alice)
            #expect(Browser.parameter("code", of: answer.headers[.location]) != nil)
            // After the last second in which they say anything.
            fixture.clock.advance(PushedRequest.life + PushedRequest.visitLife + 1)
            for keeper in [fixture.oauthStore, fixture.pageStore] as [any MomentKeeper] {
                while try await keeper.removeExpired(at: fixture.clock.now, limit: 3) == 3 {}
            }
            try await expectRows(0, 0, in: fixture)
            #expect(try await browser.another(from: "203.0.113.7").authorize(Browser.request()).status == .seeOther)
        }
    }

    @Test("Strangers of many addresses fill so many rows, too: then it is 503 for whoever would begin, and who has begun goes on")
    func fromEverywhere() async throws {
        let fixture = try await premises(fromPlace: 2, atServer: 7)
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let person = browser.another(from: "203.0.113.8")
            let begun = try await person.authorize(Browser.request())
            for number in 0..<20 {
                let answer = try await browser.another(from: "192.0.2.\(number)").authorize(Browser.request())
                if number >= 6 { expectRefused(answer, .serviceUnavailable, after: "1800") }
            }
            try await expectRows(7, 7, in: fixture)
            #expect(Browser.parameter("code", of: try await person.logIn(begun, as: alice).headers[.location]) != nil)
            // Which makes room for one.
            #expect(try await browser.another(from: "192.0.2.30").authorize(Browser.request()).status == .seeOther)
            expectRefused(try await browser.another(from: "192.0.2.31").authorize(Browser.request()), .serviceUnavailable, after: "1800")
        }
    }

    @Test("People behind one address log in as often as they like, with a consent as well; who is logged in and not asked begins nothing")
    func goneOnWith() async throws {
        let fixture = try await premises(fromPlace: 1)
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            for _ in 0..<3 {
                let person = browser.another()
                let answer = try await person.logIn(try await person.authorize(Browser.request()), as: alice)
                #expect(Browser.parameter("code", of: answer.headers[.location]) != nil)
                for _ in 0..<3 { #expect(try await person.authorize(Browser.request()).status == .seeOther) }
                let (asked, visit) = try await person.question(try await person.authorize(Browser.reports(["prompt": "consent"])))
                #expect(try await person.decide(visit, asked.text("mark"), allow: true).status == .ok)
            }
        }
    }

    @Test("A visit that is loaded again and again opens no more login pages than may be begun, and one that is over makes no room twice")
    func again() async throws {
        let fixture = try await premises(fromPlace: 3)
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let begun = try await browser.authorize(Browser.request())
            let visit = try await browser.openLogin(begun)
            let path = "/authorize/continue?visit=\(visit.id.text)"
            for _ in 0..<2 { #expect(try await browser.get(path).status == .seeOther) }
            for _ in 0..<5 { expectRefused(try await browser.get(path), .tooManyRequests, after: "1800") }
            try await expectRows(1, 3, in: fixture)
            let before = browser.cookies
            let answer = try await browser.comeBack(visit, try await fixture.approve(alice, visit.nonce))
            #expect(Browser.parameter("code", of: answer.headers[.location]) != nil)
            let kept = before.merging(browser.cookies) { _, new in new }
            for _ in 0..<3 {
                browser.cookies = kept
                #expect(Browser.parameter("code", of: try await browser.get(path).headers[.location]) == nil)
            }
            #expect(try await browser.another().authorize(Browser.request()).status == .seeOther)
            expectRefused(try await browser.another().authorize(Browser.request()), .tooManyRequests, after: "1800")
        }
    }
}
