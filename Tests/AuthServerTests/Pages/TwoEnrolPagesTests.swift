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
            #expect(["waiting", "expired"].contains(shown.text("state")))
            if shown.text("state") == "expired" { #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok) }
            let link = try Link(text: try #require(try await browser.state(cookie).text("link")))
            guard case .enrol(let link) = link else { throw WireError.badType }
            let newest = try await premises.store.read { rows in try rows.enrolment(link.enrolID) }
            #expect(newest?.settled(at: premises.clock.now).state == .open)
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
