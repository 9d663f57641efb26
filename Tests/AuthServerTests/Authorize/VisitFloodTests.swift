import Authentication
import Foundation
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

@Suite("A flood of authorization requests", .timeLimit(.minutes(10)))
struct VisitFloodTests {
    private func premises(fromPlace: Int, atServer: Int = 100) async throws -> AuthorizeFixture {
        try await AuthorizeFixture(proxies: TrustedProxies([.socket]), visits: WaitingLimit(fromPlace: fromPlace, atServer: atServer))
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

    /// A request of the shop, sent ahead.
    private func push(_ fixture: AuthorizeFixture, from place: CallPlace = .unknown) async throws -> String {
        let parameters = Browser.request().split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return Parameter(String(parts[0]), parts[1].removingPercentEncoding ?? "")
        }
        let call = TokenCall(
            server: fixture.server, method: "POST", contentType: "application/x-www-form-urlencoded", parameters: parameters,
            target: try #require(HTTPTarget("\(AuthorizeFixture.origin)/oauth/par")))
        return try await fixture.oauth.push.push(call, from: place, at: fixture.clock.now).requestURI
    }

    private func bringing(_ uri: String) -> String { "client_id=shop&request_uri=\(AuthorizeResponse.escaped(uri))" }

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
                expectRefused(answer, .tooManyRequests, after: "1801")
            }
            try await expectRows(5, 5, in: fixture)
            #expect(fixture.log.lines("request refused").first?.facts["reason"] == "visitsFromPlace")
            let person = browser.another(from: "203.0.113.8")
            let answer = try await person.logIn(try await person.authorize(Browser.request()), as: alice)
            #expect(Browser.parameter("code", of: answer.headers[.location]) != nil)
            // The last second in which its browser may go on, and the next.
            fixture.clock.advance(PushedRequest.visitLife)
            expectRefused(try await browser.another(from: "203.0.113.7").authorize(Browser.request()), .tooManyRequests, after: "1")
            fixture.clock.advance(1)
            #expect(try await browser.another(from: "203.0.113.7").authorize(Browser.request()).status == .seeOther)
            fixture.clock.advance(PushedRequest.life + PushedRequest.visitLife + 1)
            for keeper in [fixture.oauthStore, fixture.pageStore] as [any MomentKeeper] {
                while try await keeper.removeExpired(at: fixture.clock.now, limit: 3) == 3 {}
            }
            try await expectRows(0, 0, in: fixture)
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
                if number >= 6 { expectRefused(answer, .serviceUnavailable, after: "1801") }
            }
            try await expectRows(7, 7, in: fixture)
            #expect(Browser.parameter("code", of: try await person.logIn(begun, as: alice).headers[.location]) != nil)
            // Which makes room for one.
            #expect(try await browser.another(from: "192.0.2.30").authorize(Browser.request()).status == .seeOther)
            expectRefused(try await browser.another(from: "192.0.2.31").authorize(Browser.request()), .serviceUnavailable, after: "1801")
        }
    }

    @Test("A stranger with a /56 of IPv6 is one place, whichever of its networks they come from")
    func manyNetworks() async throws {
        let fixture = try await premises(fromPlace: 3)
        try await fixture.run { (browser) async throws in
            for number in 0..<3 {
                #expect(try await browser.another(from: "2001:db8:1:20\(number)::1").authorize(Browser.request()).status == .seeOther)
            }
            expectRefused(try await browser.another(from: "2001:db8:1:2ff::1").authorize(Browser.request()), .tooManyRequests, after: "1801")
            #expect(try await browser.another(from: "2001:db8:1:300::1").authorize(Browser.request()).status == .seeOther)
        }
    }

    @Test("People behind one address log in as often as they like, in one second, with a consent as well, and by requests that were sent ahead")
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
                let other = browser.another()
                let pushed = try await other.logIn(try await other.authorize(bringing(try await push(fixture))), as: alice)
                #expect(Browser.parameter("code", of: pushed.headers[.location]) != nil)
            }
        }
    }

    @Test("A visit that is loaded again and again, and a request that many browsers bring, have eight login pages at a time, the newest of them")
    func again() async throws {
        let fixture = try await premises(fromPlace: 3)
        let alice = try await fixture.addAccount()
        try await fixture.run { (browser) async throws in
            let visit = try await browser.openLogin(try await browser.authorize(Browser.request()))
            for _ in 0..<20 { #expect(try await browser.get("/authorize/continue?visit=\(visit.id.text)").status == .seeOther) }
            try await expectRows(1, 8, in: fixture)
            let last = try await browser.get("/authorize/continue?visit=\(visit.id.text)")
            #expect(Browser.parameter("code", of: try await browser.logIn(last, as: alice).headers[.location]) != nil)
            let uri = try await push(fixture)
            for _ in 0..<20 { #expect(try await browser.another().authorize(bringing(uri)).status == .seeOther) }
            try await expectRows(2, 16, in: fixture)
        }
    }

    @Test("Requests that anybody sends ahead count where they come from, and are refused with the seconds to wait; a refused one leaves nothing")
    func pushed() async throws {
        let fixture = try await premises(fromPlace: 2)
        let (here, elsewhere) = (CallPlace("192.0.2.1"), CallPlace("192.0.2.2"))
        for _ in 0..<2 { _ = try await push(fixture, from: here) }
        for _ in 0..<2 {
            await #expect(throws: TooManyWaiting(.visits, .place("192.0.2.1"), seconds: 1_801)) { try await push(fixture, from: here) }
        }
        _ = try await push(fixture, from: elsewhere)
        #expect(try await fixture.count("oauth_pushed") == 3)
        try await fixture.run { (browser) async throws in
            // A browser from there brings no more either.
            let answer = try await browser.another(from: "192.0.2.1").authorize(Browser.request())
            expectRefused(answer, .tooManyRequests, after: "1801")
        }
        let answers = [TooManyWaiting(.visits, .place(""), seconds: 7).answer, TooManyWaiting(.visits, .server, seconds: 7).answer]
        #expect(answers.map(\.status) == [429, 503] && answers.allSatisfy { $0.code == .temporarilyUnavailable && $0.retryAfter == 7 })
    }
}
