import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("What the login page says of the phone", .timeLimit(.minutes(10)))
struct PhoneStatePageTests {
    static let words: [(PhoneState, String)] = [
        (.gaveUp, "gaveup"), (.penalised, "penalised"), (.blocked, "blocked"), (.noSecondFactor, "nosecondfactor"),
    ]

    @Test("A phone that has taken the login and does not go on is told at once, without numbers, and the page may begin anew", arguments: words)
    func claimed(state: PhoneState, word: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(returnURL: "https://shop.example/")
            let screen = try await PageScreen(premises, cookie: cookie)
            try await screen.until("waiting")
            try await premises.move([.claim(account.id, .qrDynamic)])
            try await screen.until("scanned")
            try await premises.say(state, account)
            let told = try await screen.until(word)
            #expect(told.names == ["kind", "state", "server", "returnurl", "still", "read"])
            #expect(told.text("returnurl") == "https://shop.example/")
            let before = try await premises.session().id
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).text("state") == "waiting")
            #expect(try await premises.session().id != before)
        }
    }

    @Test("A phone that has taken the login and says no more is not waited for: the page begins anew when asked, and its session ends")
    func silent() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let screen = try await PageScreen(premises, cookie: cookie)
            try await premises.move([.claim(account.id, .qrDynamic)])
            let before = try await premises.session()
            try await screen.until("scanned")
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            try await screen.until("waiting")
            #expect(try await premises.session().id != before.id)
            let ended = try #require(try await premises.store.read { rows in try rows.session(before.id) })
            #expect(ended.state == .expired)
        }
    }

    @Test("What was accepted is not begun anew: its page is told so, and the code is as good as before")
    func accepted() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            _ = try await premises.approve(account, by: .returnCode)
            let before = try await premises.session()
            let response = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(response.status == .conflict && JSONObject(response.body).text("error") == "not_over")
            #expect(try await premises.session() == before)
        }
    }

    @Test("Of three pages of a login whose phone decides the newest may take it over when asked; older ones are offered nothing and begin nothing")
    func takesOver() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open(returnURL: "https://shop.example/")
            let owner = try await browser.open(returnURL: "https://shop.example/")
            try await premises.move([.claim(account.id, .qrDynamic)])
            let claimed = try await premises.session()
            let newest = try await browser.open(returnURL: "https://shop.example/")
            let screen = try await PageScreen(premises, cookie: newest)
            #expect(try await screen.until("otherpage").bool("takeover") == true)
            let told = try await browser.state(older)
            #expect(told.text("state") == "otherpage" && told.bool("takeover") == nil)
            #expect(try await browser.post("/pages/renew", "{}", cookie: older).status == .conflict)
            #expect(try await premises.session() == claimed)
            #expect(try await browser.state(owner).text("state") == "scanned")
            #expect(try await browser.post("/pages/renew", "{}", cookie: newest).status == .ok)
            try await screen.until("waiting")
            for cookie in [older, owner] {
                let told = try await browser.state(cookie)
                #expect(told.text("state") == "otherpage" && told.bool("takeover") == nil)
                #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .conflict)
            }
            #expect(try await browser.state(newest).text("state") == "waiting")
        }
    }

    @Test("While another window's login is confirmed a newer page is not offered what it may not take")
    func offersNothing() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            _ = try await browser.open()
            try await premises.move([.claim(account.id, .qrDynamic)])
            let newest = try await browser.open()
            #expect(try await browser.state(newest).bool("takeover") == true)
            _ = try await premises.approve(account)
            let told = try await browser.state(newest)
            #expect(told.text("state") == "otherpage" && told.bool("takeover") == nil)
            #expect(try await browser.post("/pages/renew", "{}", cookie: newest).status == .conflict)
        }
    }

    @Test("A phone that only read the code takes nothing off the page: what it says stands beside the code", arguments: words)
    func open(state: PhoneState, word: String) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            #expect(try await screen.until("waiting").text("beside") == nil)
            try await premises.say(state, account)
            let told = try await screen.until("waiting")
            #expect(told.text("beside") == word)
            #expect(told.object("code") != nil)
        }
    }

    @Test("When the phone goes on after all, and when its penalty is over, the page says so again")
    func goesOn() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            try await premises.move([.claim(account.id, .qrDynamic)])
            try await screen.until("scanned")
            try await premises.say(.noSecondFactor, account)
            try await screen.until("nosecondfactor")
            try await premises.move([.claim(account.id, .qrDynamic)])
            try await screen.until("scanned")
            try await premises.say(.penalised, account)
            try await screen.until("penalised")
            premises.clock.advance(30)
            try await screen.until("scanned")
        }
    }

    @Test("It stays as long as the phone may decide: eight minutes, and no half of one")
    func staysClaimed() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let screen = try await PageScreen(premises, cookie: try await browser.open())
            try await screen.until("waiting")
            try await premises.move([.claim(account.id, .qrDynamic)])
            try await screen.until("scanned")
            premises.clock.advance(Session.openFor + Session.claimedFor)
            for _ in 0..<3 { #expect(await screen.nextText()?.hasPrefix(":") == true) }
            premises.clock.advance(1)
            try await screen.until("expired")
        }
    }
}

extension PagesFixture {
    fileprivate func say(_ state: PhoneState, _ account: Account) async throws {
        try await move([.report(account.id, PhoneReport(state: state, until: state == .penalised ? clock.now + 30 : Instant(0)))])
    }

    fileprivate func move(_ steps: [SessionEvent]) async throws { try await move(Self.nonce, steps, news: .phoneState) }
}
