import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Enrol page whose site logs out", .timeLimit(.minutes(10)))
struct LoggedOutPageTests {
    @Test("The page says that it is over, begins nothing anew, and takes no code; nobody is logged in", arguments: ["waiting", "scanned", "code"])
    func isOver(state: String) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(.enrol, returnURL: "/done")
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            var code = "K7Q3"
            if state != "waiting" {
                let claimed = try await premises.claimEnrolment()
                code = claimed.code
                if state == "code" { try await premises.finishEnrolment(claimed.claim) }
                try await screen.until(state)
            }
            try await premises.logOut()
            let told = try await screen.until("over")
            #expect(told.text("returnurl") == "/done" && told.names.isDisjoint(with: ["code", "link", "device", "renews"]))
            let renewed = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(renewed.status == .unauthorized && JSONObject(renewed.body).text("error") == "no_page")
            #expect(try await browser.post("/pages/code", #"{"code":"\#(code)"}"#, cookie: cookie).status == .unauthorized)
            #expect(try await browser.state(cookie).text("state") == "over")
            let nonce = try SessionNonce(PagesFixture.nonce)
            let status = try await premises.adminRoutes.domain.sessions.status(of: nonce, at: premises.serverID, now: premises.clock.now)
            #expect(status == .nobody)
        }
    }

    /// Before which of the steps by which a page is opened a logout marks its nonce's pages, and before which it ends the enrolment that it finds: before
    /// the ticket becomes a cookie, before the enrolment begins, before its link is kept, or afterwards.
    struct Order: CustomTestStringConvertible {
        let marks: Int
        let ends: Int

        var testDescription: String { "marks before \(marks), ends before \(ends)" }

        static let all = (0...3).flatMap { marks in (marks...3).map { Order(marks: marks, ends: $0) } }
    }

    @Test(
        "An enrol page that is being opened while its site logs out shows no code that is good, in whatever order the two come about",
        arguments: Order.all)
    func inBetween(_ order: Order) async throws {
        let premises = try await PagesFixture()
        let (routes, domain, now) = (premises.pageRoutes, premises.pageRoutes.domain, premises.clock.now)
        let (nonce, server) = (try SessionNonce(PagesFixture.nonce), premises.serverID)
        try await premises.asBrowser { (browser) async throws in
            let ticket = try await browser.ticket(.enrol)
            var page: OpenPage?
            var link: [UInt8]?
            var refusal: PageRefusal?
            for step in 0...3 {
                if order.marks == step { try await routes.pages.logOut(nonce, at: server) }
                if order.ends == step { try await domain.sessions.logOut(nonce, at: server, by: .backend, now: now) }
                guard refusal == nil else { continue }
                do {
                    switch step {
                    case 0: page = try await routes.pages.redeem(ticket, at: now)
                    case 1: link = try await routes.view.begin(try #require(page), isNewest: true, at: now)
                    case 2: try await routes.view.keep(try #require(link), for: try #require(page), at: now)
                    default: break
                    }
                } catch let error as PageRefusal { refusal = error }
            }
            #expect(refusal == [.ticketNotValid, .noPage, .noPage, nil][order.marks])
            if let page {
                let kept = try await routes.pages.page(of: page.cookie, at: now)
                #expect((kept.link == nil) == (refusal != nil))
                #expect(try await routes.view.snapshot(of: kept, style: .moving, at: now).state == .over)
                await #expect(throws: PageRefusal.noPage) { try await routes.pages.countRenewal(of: kept, at: now) }
                if kept.link != nil {
                    #expect(try await domain.enrolments.newest(of: nonce, at: server, now: now)?.progress == .failed(.loggedOut))
                }
            }
            #expect(try await domain.sessions.status(of: nonce, at: server, now: now) == .nobody)
            let anew = try await browser.open(.enrol)
            #expect(try await browser.state(anew).text("state") == "waiting")
        }
    }

    @Test("A page whose enrolment began after its site had logged out is refused by the call that opens it, and sets no cookie")
    func afterwards() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let page = try await premises.pageRoutes.pages.redeem(try await browser.ticket(.enrol), at: premises.clock.now)
            try await premises.logOut()
            await #expect(throws: PageRefusal.noPage) { try await premises.pageRoutes.begin(page, isNewest: true, at: premises.clock.now) }
            #expect(try await premises.pageRoutes.pages.page(of: page.cookie, at: premises.clock.now).link == nil)
        }
    }

    @Test("32 enrol pages are opened while 32 sites log out: each is refused or over, and the code of none is good")
    func atOnce() async throws {
        let premises = try await PagesFixture()
        let nonces = (0..<32).map { "n0nce-of-an-enrolment-\($0)" }
        try await premises.asBrowser { (browser) async throws in
            var tickets: [(nonce: String, ticket: String)] = []
            for nonce in nonces {
                let ticket = try await browser.ticket(.enrol, nonce: nonce)
                tickets.append((nonce, ticket))
            }
            let cookies = try await withThrowingTaskGroup(of: (String, String?)?.self) { group in
                for (nonce, ticket) in tickets {
                    group.addTask {
                        let opened = try await browser.redeem(ticket)
                        #expect([.ok, .unauthorized].contains(opened.status))
                        return (nonce, PageClient.cookie(opened))
                    }
                    group.addTask {
                        try await premises.logOut(nonce)
                        return nil
                    }
                }
                return try await group.reduce(into: [(String, String?)]()) { all, opened in if let opened { all.append(opened) } }
            }
            for (nonce, cookie) in cookies {
                let (now, nonce) = (premises.clock.now, try SessionNonce(nonce))
                guard let cookie else { continue }
                let shown = try await browser.state(cookie)
                #expect(shown.text("state") == "over" && shown.names.isDisjoint(with: ["code", "link"]))
                #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .unauthorized)
                let newest = try await premises.pageRoutes.domain.enrolments.newest(of: nonce, at: premises.serverID, now: now)
                #expect(newest?.progress == .failed(.loggedOut))
            }
        }
    }

    @Test("A page whose site has logged out takes up nothing that another page of the nonce begins later, also when that has run out")
    func laterPage() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let before = try await browser.open(.enrol)
            try await premises.logOut()
            let after = try await browser.open(.enrol)
            #expect(try await browser.state(after).text("state") == "waiting")
            #expect(try await browser.state(before).text("state") == "over")
            premises.clock.advance(601)
            #expect(try await browser.state(after).text("state") == "expired")
            #expect(try await browser.state(before).text("state") == "over")
            #expect(try await browser.post("/pages/renew", "{}", cookie: before).status == .unauthorized)
            #expect(try await browser.post("/pages/renew", "{}", cookie: after).status == .ok)
        }
    }

    @Test("A page that has added its phone is over after a logout, too, and says yes to no repeated code; the phone is there")
    func done() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (cookie, claim, code) = try await browser.openUntilCode()
            let typed = #"{"code":"\#(code)"}"#
            for _ in 0..<2 {
                let answer = try await browser.post("/pages/code", typed, cookie: cookie)
                #expect(answer.status == .ok && JSONObject(answer.body).text("outcome") == "done")
            }
            #expect(try await browser.state(cookie).text("state") == "done")
            try await premises.logOut()
            #expect(try await browser.state(cookie).text("state") == "over")
            for path in ["/pages/renew", "/pages/code"] {
                let refused = try await browser.post(path, path == "/pages/code" ? typed : "{}", cookie: cookie)
                #expect(refused.status == .unauthorized && JSONObject(refused.body).text("error") == "no_page")
            }
            let account = claim.account
            #expect(try await premises.store.read { rows in try rows.account(account) }?.state == .active)
        }
    }

    @Test("A page that nobody had opened yet cannot be opened any more; another nonce's can, and one that the site opens afterwards")
    func unopened() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let enrol = try await browser.ticket(.enrol)
            let login = try await browser.ticket(.login)
            let other = try await browser.ticket(.enrol, nonce: "n0nce-of-another-browser-there")
            try await premises.logOut()
            let later = try await browser.ticket(.login)
            #expect(try await browser.redeem(enrol).status == .unauthorized)
            #expect(try await browser.redeem(login).status == .unauthorized)
            #expect(try await browser.redeem(later).status == .ok)
            #expect(try await browser.redeem(other).status == .ok)
        }
    }
}
