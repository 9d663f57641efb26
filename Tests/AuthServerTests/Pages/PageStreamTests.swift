import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Login page, live")
struct PageStreamTests {
    @Test("It shows a code at once, and another for every second")
    func showsFrames() async throws {
        let premises = try await Premises()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            let events = try await browser.events("/pages/events", cookie: cookie) {
                for _ in 0..<3 {
                    premises.clock.advance(1)
                    try await Task.sleep(for: .milliseconds(60))
                }
            }
            let first = try #require(events.first)
            #expect(first.name == "page")
            #expect(first.data.text("state") == "waiting")
            #expect(first.data.text("server") == "Timesheets")
            #expect(first.data.text("link")?.hasPrefix("https://login.example/l#") == true)
            let codes = events.filter { $0.name == "code" }.compactMap { $0.data.text("bits") }
            #expect(Set(codes).count >= 3)
            #expect(first.data.object("code")?.number("columns") == 37 || first.data.object("code")?.number("columns") == 41)
        }
    }

    @Test("A code that stands still stays the same for a while")
    func standsStill() async throws {
        let premises = try await Premises()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            let events = try await browser.events("/pages/events?still", cookie: cookie) {
                premises.clock.advance(3)
                try await Task.sleep(for: .milliseconds(60))
            }
            #expect(events.filter { $0.name == "code" }.isEmpty)
        }
    }

    @Test("It tells of the scan and of the login, and where to go then")
    func tellsLogin() async throws {
        let premises = try await Premises()
        let account = try await premises.addAccount()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open(returnURL: "https://shop.example/welcome?a=b")
            let events = try await browser.events("/pages/events", cookie: cookie) {
                try await premises.scan()
                try await settle()
                try await premises.logIn(account)
                try await settle()
            }
            let pages = events.filter { $0.name == "page" }
            #expect(pages.compactMap { $0.data.text("state") } == ["waiting", "scanned", "loggedin"])
            #expect(pages.last?.data.text("returnurl") == "https://shop.example/welcome?a=b")
            #expect(pages.last?.data.names.isDisjoint(with: ["userid", "account", "name"]) == true)
        }
    }

    @Test("A refusal says whether the person had started the login", arguments: [(false, "denied"), (true, "notme")])
    func tellsRefusal(notMe: Bool, state: String) async throws {
        let premises = try await Premises()
        let account = try await premises.addAccount()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            let events = try await browser.events("/pages/events", cookie: cookie) {
                try await premises.deny(account, notMe: notMe)
                try await settle()
            }
            #expect(events.last { $0.name == "page" }?.data.text("state") == state)
            #expect(try await browser.state(cookie).text("state") == state)
            // It can begin again, and is another session then.
            let before = try await premises.session().id
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).text("state") == "waiting")
            #expect(try await premises.session().id != before)
        }
    }

    @Test("A code that nobody used in time is old, also without any news of it")
    func tellsExpiry() async throws {
        let premises = try await Premises()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            let events = try await browser.events("/pages/events", cookie: cookie) {
                premises.clock.advance(301)
                try await settle()
            }
            #expect(events.last { $0.name == "page" }?.data.text("state") == "expired")
        }
    }

    @Test("A login that the backend ends is over on the page too")
    func tellsLogout() async throws {
        let premises = try await Premises()
        let account = try await premises.addAccount()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            try await premises.logIn(account)
            let events = try await browser.events("/pages/events", cookie: cookie) {
                _ = try await premises.asBackend { backend in try await backend.send(.post, backend.path("/sessions/logout")) }
                try await settle()
            }
            #expect(events.filter { $0.name == "page" }.compactMap { $0.data.text("state") } == ["loggedin", "loggedout"])
        }
    }

    @Test("Streams are bounded for one page, and a closed one gives its place back")
    func boundsStreams() async throws {
        let gate = StreamGate(limit: 3, perName: 2)
        var first = gate.enter("a")
        let second = gate.enter("a")
        #expect(gate.enter("a") == nil)
        let third = gate.enter("b")
        #expect(gate.enter("c") == nil)
        #expect(gate.count == 3)
        first = nil
        #expect(gate.enter("a") != nil)
        withExtendedLifetime((first, second, third)) {}
        #expect(gate.count == 2)
    }

    @Test("A stream that ended leaves no listener behind")
    func leavesNothing() async throws {
        let premises = try await Premises()
        try await premises.asBrowser { browser in
            let cookie = try await browser.open()
            _ = try await browser.events("/pages/events", cookie: cookie) {}
            while premises.events.listenerCount > 0 { await Task.yield() }
        }
    }

    /// Gives the stream, whose ticks are 5 ms here, time for a look into the store.
    private func settle() async throws { try await Task.sleep(for: .milliseconds(120)) }
}
