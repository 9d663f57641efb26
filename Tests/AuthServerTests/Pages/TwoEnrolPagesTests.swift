import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// One site, one nonce, and the button “add a phone” pressed in two tabs.
@Suite("Two enrol pages of one nonce", .timeLimit(.minutes(10)))
struct TwoEnrolPagesTests {
    @Test("The newer page has the enrolment: the older says so, shows no code and no phone, takes no code, and ends nothing by beginning anew")
    func newestHasIt() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open(.enrol, returnURL: "/done")
            let screen = try await PageScreen(premises, cookie: older)
            try await screen.until("waiting")
            let newer = try await browser.open(.enrol, returnURL: "/done")
            let told = try await screen.until("otherpage")
            #expect(told.names.isDisjoint(with: ["code", "link", "device", "words", "picture"]))
            let (claim, code) = try await premises.claimEnrolment(device: "Pixel 9")
            #expect(try await browser.state(newer).text("device") == "Pixel 9")
            let other = try await browser.state(older)
            #expect(other.text("state") == "otherpage" && other.text("device") == nil)
            #expect(try await browser.post("/pages/renew", "{}", cookie: older).status == .conflict)
            #expect(try await browser.state(newer).text("state") == "scanned")
            try await premises.finishEnrolment(claim)
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: older).status == .notFound)
            #expect(try await browser.state(older).text("state") == "otherpage")
            let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: newer).body)
            #expect(answer.text("outcome") == "done")
            for cookie in [older, newer] { #expect(try await browser.state(cookie).text("state") == "done") }
        }
    }

    @Test("When the newer one is over, the older may begin anew, and then the newer is the older")
    func turns() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open(.enrol)
            let newer = try await browser.open(.enrol)
            premises.clock.advance(601)
            for cookie in [older, newer] { #expect(try await browser.state(cookie).text("state") == "expired") }
            #expect(try await browser.post("/pages/renew", "{}", cookie: older).status == .ok)
            #expect(try await browser.state(older).text("state") == "waiting")
            #expect(try await browser.state(newer).text("state") == "otherpage")
        }
    }

    @Test("A page that begins anew many times at once is in its own way no more than once, and shows the code that is good")
    func atOnce() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
                for _ in 0..<4 { group.addTask { try await browser.post("/pages/renew", "{}", cookie: cookie).status } }
                for try await status in group { #expect(status == .ok) }
            }
            let shown = try await browser.state(cookie)
            #expect(shown.text("state") == "waiting")
            let link = try Link(text: try #require(shown.text("link")))
            guard case .enrol(let link) = link else { throw WireError.badType }
            let newest = try await premises.store.read { rows in try rows.enrolment(link.enrolID) }
            #expect(newest?.settled(at: premises.clock.now).state == .open)
        }
    }

    /// Where the link of the enrolment that began first comes to be kept.
    enum OlderLink: CaseIterable {
        case first, last
        /// It was looked at before the newer one began, and comes after its link.
        case lookedAtBefore
    }

    @Test(
        "Of two enrolments that a page begins at once it shows the newer, in whatever order their links come to be kept",
        arguments: OlderLink.allCases)
    func keptOutOfTurn(_ turn: OlderLink) async throws {
        let premises = try await PagesFixture()
        let (pages, view, now) = (premises.pageRoutes.pages, premises.pageRoutes.view, premises.clock.now)
        try await premises.asBrowser { (browser) async throws in
            let page = try await pages.redeem(try await browser.ticket(.enrol), at: now)
            let older = try #require(try await view.begin(page, isNewest: true, at: now))
            if turn == .first { try await view.keep(older, for: page, at: now) }
            var newer: [UInt8]?
            if turn == .lookedAtBefore {
                try await pages.keep(older, for: page, at: now) {
                    guard newer == nil else { return false }
                    let link = try #require(try await view.begin(page, isNewest: false, at: now))
                    try await view.keep(link, for: page, at: now)
                    newer = link
                    return true
                }
            } else {
                let link = try #require(try await view.begin(page, isNewest: false, at: now))
                try await view.keep(link, for: page, at: now)
                newer = link
            }
            if turn == .last { try await view.keep(older, for: page, at: now) }
            let kept = try await pages.page(of: page.cookie, at: now)
            #expect(kept.link != nil && kept.link == newer)
            #expect(try await view.snapshot(of: kept, style: .moving, at: now).state == .waiting)
        }
    }

    @Test("A page that is opened while an account waits for its code has it: it takes that code, and the older one says so and takes none")
    func opensForCode() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open(.enrol)
            let screen = try await PageScreen(premises, cookie: older)
            let (claim, code) = try await premises.claimEnrolment()
            try await premises.finishEnrolment(claim)
            try await screen.until("code")
            let again = try await browser.open(.enrol)
            #expect(try await screen.until("otherpage").text("device") == nil)
            #expect(try await browser.state(again).text("state") == "code")
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: older).status == .notFound)
            #expect(try await browser.post("/pages/renew", "{}", cookie: older).status == .conflict)
            let answer = JSONObject(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: again).body)
            #expect(answer.text("outcome") == "done")
        }
    }

    @Test("The same page in a second tab follows when the first begins anew, to the new code")
    func sameInTwoTabs() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol)
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            try await premises.finishEnrolment(try await premises.claimEnrolment().claim)
            premises.clock.advance(601)
            try await screen.until("expired")
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            let told = try await screen.until("waiting")
            #expect(told.text("link") == (try await browser.state(cookie).text("link")))
        }
    }
}
