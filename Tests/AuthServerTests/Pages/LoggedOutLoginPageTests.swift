import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Such a page began anew by itself, with the nonce that had been logged out, and whoever scanned its code was logged in.
@Suite("Login page whose site logs out", .timeLimit(.minutes(10)))
struct LoggedOutLoginPageTests {
    enum Moment: String, CaseIterable {
        case waiting, scanned, expired, returning
        case loggedIn = "loggedin"
    }

    @Test("It says that it is over, shows no code and begins nothing anew; nobody is logged in", arguments: Moment.allCases)
    func isOver(moment: Moment) async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            let account = try await premises.addAccount()
            if moment == .scanned { try await premises.claim(account) }
            if moment == .expired { premises.clock.advance(601) }
            if moment == .returning { _ = try await premises.approve(account) }
            if moment == .loggedIn { try await premises.logIn(account) }
            if moment != .waiting { try await screen.until(moment.rawValue) }
            try await premises.logOut()
            let told = try await screen.until("over")
            #expect(told.names.isDisjoint(with: ["code", "link", "renews", "takeover"]))
            // It does not warn of another browser first.
            #expect(!screen.states.contains("notreturned") && !screen.states.contains("loggedout"))
            let renewed = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(renewed.status == .unauthorized && JSONObject(renewed.body).text("error") == "no_page")
            let state = try await browser.state(cookie)
            #expect(state.text("state") == "over" && state.names.isDisjoint(with: ["code", "link", "renews"]))
            let nonce = try SessionNonce(PagesFixture.nonce)
            let domain = premises.pageRoutes.domain
            #expect(try await domain.sessions.status(of: nonce, at: premises.serverID, now: premises.clock.now) == .nobody)
            // The site begins anew, and its new page is another matter.
            let next = try await browser.open()
            #expect(try await browser.state(next).text("state") == "waiting")
            #expect(try await browser.state(cookie).text("state") == "over")
        }
    }

    @Test("A page that is being opened or begun anew while its site logs out shows no code that is good", arguments: [true, false])
    func inBetween(isNewest: Bool) async throws {
        let premises = try await PagesFixture()
        let (routes, now) = (premises.pageRoutes, premises.clock.now)
        try await premises.asBrowser { (browser) async throws in
            let page = try await routes.pages.redeem(try await browser.ticket(), at: now)
            if !isNewest {
                try await routes.begin(page, isNewest: true, at: now)
                try await routes.pages.countRenewal(of: page, at: now)
            }
            // All of it comes between two steps of the call.
            try await premises.logOut()
            await #expect(throws: PageRefusal.noPage) { try await routes.begin(page, isNewest: isNewest, at: now) }
            let kept = try await routes.pages.page(of: page.cookie, at: now)
            #expect(try await routes.view.snapshot(of: kept, style: .moving, at: now).state == .over)
        }
    }

    @Test("So does a page whose person refused, whose browser was on its way back, or whose login was good")
    func ended() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let account = try await premises.addAccount()
            let ends: [() async throws -> Void] = [
                { try await premises.deny(account, notMe: false) }, { _ = try await premises.approve(account) },
                { try await premises.logIn(account) },
            ]
            for end in ends {
                let page = try await browser.open()
                try await end()
                try await premises.logOut()
                let state = try await browser.state(page)
                #expect(state.text("state") == "over" && state.names.isDisjoint(with: ["code", "link", "renews", "takeover"]))
                #expect(try await browser.post("/pages/renew", "{}", cookie: page).status == .unauthorized)
            }
        }
    }

    @Test("32 login pages are opened while 32 sites log out: none shows a code that is good")
    func atOnce() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            var tickets: [(nonce: String, ticket: String)] = []
            for number in 0..<32 {
                let nonce = "n0nce-of-a-login-page-\(number)"
                let ticket = try await browser.ticket(nonce: nonce)
                tickets.append((nonce, ticket))
            }
            let opened = try await withThrowingTaskGroup(of: (String, String?)?.self) { group in
                for (nonce, ticket) in tickets {
                    group.addTask {
                        let cookie = PageClient.cookie(try await browser.redeem(ticket))
                        return (nonce, cookie)
                    }
                    group.addTask {
                        try await premises.logOut(nonce)
                        return nil
                    }
                }
                return try await group.reduce(into: [(String, String?)]()) { all, opened in if let opened { all.append(opened) } }
            }
            for case (_, let cookie?) in opened {
                let shown = try await browser.state(cookie)
                #expect(shown.text("state") == "over" && shown.names.isDisjoint(with: ["code", "link", "renews"]))
                #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .unauthorized)
            }
        }
    }
}
