import Authentication
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Login page, the way back", .timeLimit(.minutes(10)))
struct ReturnPageTests {
    @Test("The page whose code was scanned is sent back with the code, at once; the backend's own part of the address stays as it was")
    func sendsBack() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open(returnURL: "https://shop.example/welcome?a=b#top")
            let screen = try await PageScreen(premises, cookie: cookie)
            #expect(try await screen.until("waiting").text("returnurl") == "https://shop.example/welcome?a=b#top")
            let code = try await premises.approve(account)
            let address = "https://shop.example/welcome?a=b&returncode=\(code.text)#top"
            #expect(try await screen.until("returning").text("returnurl") == address)
            // Loaded again, it goes again: the address may have been lost.
            #expect(try await browser.state(cookie).text("returnurl") == address)
        }
    }

    @Test("After a tapped link no page has the code: it says to go on in the window that the app opens")
    func tapped() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            let code = try await premises.approve(account, by: .returnCode)
            let response = try await browser.get("/pages/state", cookie: cookie)
            #expect(JSONObject(response.body).text("state") == "inapp")
            #expect(!String(buffer: response.body).contains(code.text))
        }
    }

    @Test("A second page of the nonce begins anew; the first says so, shows no code and never has the return code")
    func secondPage() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let first = try await browser.open()
            let screen = try await PageScreen(premises, cookie: first)
            try await screen.until("waiting")
            let session = try await premises.session().id
            let second = try await browser.open()
            #expect(try await premises.session().id != session)
            let told = try await screen.until("otherpage")
            #expect(told.names.isDisjoint(with: ["code", "link"]))
            let code = try await premises.approve(account)
            for (cookie, state) in [(first, "otherpage"), (second, "returning")] {
                let response = try await browser.get("/pages/state", cookie: cookie)
                #expect(JSONObject(response.body).text("state") == state)
                #expect(String(buffer: response.body).contains(code.text) == (cookie == second))
            }
        }
    }

    @Test("An older page begins nothing while the newer one waits")
    func olderPage() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let (first, second) = (try await browser.open(), try await browser.open())
            let session = try await premises.session().id
            #expect(try await browser.post("/pages/renew", "{}", cookie: first).status == .conflict)
            #expect(try await premises.session().id == session)
            #expect(try await browser.post("/pages/renew", "{}", cookie: second).status == .ok)
            #expect(try await premises.session().id != session)
        }
    }

    @Test("A page that is opened while a phone decides leaves that alone and says so, and so it does with a login", arguments: [false, true])
    func leavesAlone(isLoggedIn: Bool) async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            _ = try await browser.open()
            if isLoggedIn { try await premises.logIn(account) } else { try await premises.claim(account) }
            let session = try await premises.session()
            let second = try await browser.open()
            #expect(try await premises.session() == session)
            #expect(try await browser.state(second).text("state") == (isLoggedIn ? "loggedin" : "otherpage"))
        }
    }

    @Test("A page whose browser did not come back says that nobody was logged in, and begins again when asked")
    func notReturned() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            let cookie = try await browser.open()
            _ = try await premises.approve(account)
            premises.clock.advance(121)
            #expect(try await browser.state(cookie).text("state") == "notreturned")
            #expect(try await browser.post("/pages/renew", "{}", cookie: cookie).status == .ok)
            #expect(try await browser.state(cookie).text("state") == "waiting")
        }
    }

    @Test("The page's link for this device is the one that is answered with a return code")
    func linkBehindTheButton() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            let text = try #require(try await browser.state(try await browser.open()).text("link"))
            guard case .login(let link) = try Link(text: text) else { throw WireError.badType }
            #expect(link.value.binding == .returnCode)
        }
    }

    @Test("The session knows the address for the app as a whole one, also where the backend gave a place on this site")
    func absolute() async throws {
        let premises = try await PagesFixture()
        try await premises.asBrowser { (browser) async throws in
            _ = try await browser.open(returnURL: "/l?back")
            #expect(try await premises.session().page?.returnURL == "https://login.example/l?back")
        }
    }

    @Test("Events for any site: while its browser is awaited nobody is logged in, and LOGIN comes with the hand-in")
    func events() async throws {
        let premises = try await PagesFixture()
        let account = try await premises.addAccount()
        try await premises.asBrowser { (browser) async throws in
            _ = try await browser.open()
            let stream = try #require(try await premises.session().stream)
            let code = try await premises.approve(account)
            let events = try await browser.events("/sessions/events?server=\(premises.serverID.text)&session=\(stream.text)", cookie: nil) {
                _ = try await premises.asBackend { backend in
                    try await backend.send(.post, backend.path("/sessions/return"), body: #"{"returncode":"\#(code.text)"}"#)
                }
            }
            #expect(events.map(\.name) == ["LOGOUT", "LOGIN"])
        }
    }
}
