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

    @Test("A login that its phone is still deciding on cannot be begun anew, and stays as it is")
    func decided() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            try await premises.move([.claim(account.id, .qrDynamic)])
            let before = try await premises.session()
            _ = try await browser.post("/pages/renew", "{}", cookie: cookie)
            #expect(try await premises.session() == before)
            #expect(try await browser.state(cookie).text("state") == "scanned")
        }
    }

    @Test("Another page of the same login, newer or older, takes nothing from a phone that is deciding")
    func otherPagesLeaveClaims() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let older = try await browser.open(returnURL: "https://shop.example/")
            let owner = try await browser.open(returnURL: "https://shop.example/")
            try await premises.move([.claim(account.id, .qrDynamic)])
            let claimed = try await premises.session()
            let newest = try await browser.open(returnURL: "https://shop.example/")
            #expect(try await browser.state(newest).text("state") == "otherpage")
            for cookie in [older, newest] { _ = try await browser.post("/pages/renew", "{}", cookie: cookie) }
            #expect(try await premises.session() == claimed)
            #expect(try await browser.state(owner).text("state") == "scanned")
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
