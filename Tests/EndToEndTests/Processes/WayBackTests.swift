import Foundation
import HTTPService
import Logging
import OstiaryTesting
import Testing

@testable import OstiaryPhone

/// Login pages, the demonstration's website and the terminal phone: real processes, real browsers' cookies and redirects.
@Suite("The way back from a login page", .serialized)
struct WayBackTests {
    /// Both servers, an enrolled person, and the website, for the time of `body`.
    private func atTheDoor(
        on engine: DatabaseEngine = .sqlite, _ body: @Sendable @escaping (ProcessesFixture, Person, String) async throws -> Void
    ) async throws {
        let pair = try await ProcessesFixture.running(on: engine)
        let backend = try await pair.backend()
        let person = Person(backend, pair.phone())
        try await person.enrol(in: pair.folder)
        let site = DemoSite(backend: backend, origin: pair.layout.siteURL, authenticationOrigin: pair.layout.publicURL)
        let listener = Listener("site", at: ListenAddress(host: "127.0.0.1", port: pair.layout.sitePort), router: site.router)
        let drain = DrainSignal()
        let runner = ServerRunner(logger: Logger.service("test", level: .critical), drain: drain)
        let server = Task { try await runner.run([listener], stopsOnSignals: false) { _ in } }
        do {
            let site = pair.layout.siteURL
            let address = try #require(URL(string: site + "/style.css"))
            try await eventually("the website answers") { await HTTPProbe.status(of: address) != nil }
            try await body(pair, person, site)
        } catch {
            server.cancel()
            throw error
        }
        server.cancel()
        _ = try? await server.value
        try await pair.stop()
    }

    /// Presses *log in* at the site.
    /// - Returns: the link with the ticket that the site's redirect leads to.
    private func pressLogIn(_ browser: PersonsBrowser, _ site: String) async throws -> String {
        _ = try await browser.follow(try await browser.get(site + "/"), at: site)
        let answer = try await browser.submit(site + "/login")
        #expect(answer.status == 303)
        return try #require(answer.location)
    }

    /// The phone scans the page in a browser, and says yes.
    private func confirm(_ person: Person, _ browser: PersonsBrowser, _ pair: ProcessesFixture) async throws -> Program {
        let picture = try pair.folder.write(try await browser.screenshot(), to: "\(UUID().uuidString).png")
        let login = try person.phone.start(["login", picture], pins: [person.pin])
        try await eventually("the page goes back: \(login.output) \(login.complaints)") {
            try await browser.shown()["state"] == .string("returning")
        }
        return login
    }

    @Test(
        "A page login goes back to the site in the browser that began it, and the address without the code has the person in",
        arguments: DatabaseEngine.allCases)
    func comesBack(on engine: DatabaseEngine) async throws {
        try await atTheDoor(on: engine) { pair, person, site in
            try await PersonsBrowser.open { browser in
                try await browser.openPage(try await pressLogIn(browser, site))
                let before = await browser.value(of: "hallway", at: site)
                let login = try await confirm(person, browser, pair)
                let address = try #require(try await browser.shown()["returnurl"]?.string)
                #expect(address.hasPrefix(site + "/welcome?returncode="))
                #expect(try await browser.follow(try await browser.get(site + "/"), at: site).text.contains("The door is closed"))
                let back = try await browser.get(address)
                #expect(back.status == 303 && back.location == "/" && back.referrerPolicy == "no-referrer" && back.cacheControl == "no-store")
                #expect(await browser.value(of: "hallway", at: site) != before)
                #expect(try await browser.follow(back, at: site).text.contains("Come in, alice"))
                // The address loaded again.
                #expect(try await browser.follow(try await browser.get(address), at: site).text.contains("Come in, alice"))
                #expect(try await login.end() == 0)
                let told = try login.lines.map { try JSONLine($0) }
                #expect(told.first { $0.event == "sessionUpdate" }?["returnURL"] == .null)
                #expect(told.last?.event == "sessionLogin")
            }
        }
    }

    @Test("A forwarded page: the attacker is not logged in, and the phone warns its person")
    func forwardedTicket() async throws {
        try await atTheDoor { pair, person, site in
            try await PersonsBrowser.open { attacker in
                let ticket = try await pressLogIn(attacker, site)
                try await PersonsBrowser.open { victim in
                    try await victim.openPage(ticket)
                    let login = try await confirm(person, victim, pair)
                    let address = try #require(try await victim.shown()["returnurl"]?.string)
                    let back = try await victim.get(address)
                    #expect(back.status == 303 && back.location == "/?again")
                    #expect(try await victim.follow(back, at: site).text.contains("did not begin in this browser"))
                    // He reads the address afterwards, and opens it where he began.
                    #expect(try await attacker.get(address).location == "/?again")
                    #expect(try await login.end() == 5)
                    let warning = try #require(try login.lines.map { try JSONLine($0) }.last)
                    #expect(warning["name"] == .string("loginInOtherBrowser"))
                    #expect(warning["message"]?.string?.contains("somebody may have sent you this login") == true)
                }
                #expect(try await attacker.follow(try await attacker.get(site + "/"), at: site).text.contains("The door is closed"))
            }
        }
    }

    @Test("A forwarded link of a page's button: the address that the app gets lets nobody in at the attacker's browser")
    func forwardedLink() async throws {
        try await atTheDoor { pair, person, site in
            try await PersonsBrowser.open { attacker in
                try await attacker.openPage(try await pressLogIn(attacker, site))
                let link = try #require(try await attacker.shown()["link"]?.string)
                let login = try person.phone.start(["login", link], pins: [person.pin])
                let address = try #require(try await login.event("sessionUpdate")["returnURL"]?.string)
                #expect(try await attacker.shown()["state"] == .string("inapp"))
                try await PersonsBrowser.open { victim in
                    let answer = try await victim.get(address)
                    #expect(answer.location == "/?again")
                }
                #expect(try await attacker.get(address).location == "/?again")
                #expect(try await login.end() == 5)
                #expect(try await attacker.follow(try await attacker.get(site + "/"), at: site).text.contains("The door is closed"))
            }
        }
    }

    @Test("A link that was tapped on the phone logs the browser in that the page was in")
    func tapped() async throws {
        try await atTheDoor { _, person, site in
            try await PersonsBrowser.open { browser in
                try await browser.openPage(try await pressLogIn(browser, site))
                let login = try person.phone.start(["login", try #require(try await browser.shown()["link"]?.string)], pins: [person.pin])
                let address = try #require(try await login.event("sessionUpdate")["returnURL"]?.string)
                #expect(try await browser.follow(try await browser.get(address), at: site).text.contains("Come in, alice"))
                #expect(try await login.end() == 0)
            }
        }
    }

    @Test("A session that the phone ends is over at the website, which says so; an end by its own button needs no reason")
    func endedOnThePhone() async throws {
        try await atTheDoor { _, person, site in
            try await PersonsBrowser.open { browser in
                try await comeIn(person, browser, site)
                let told = try JSONLine(try await browser.get(site + "/session").text)
                let answer = try JSONLine(try #require(told["session"]?.string))
                #expect(told["loggedin"] == .bool(true) && answer["loggedin"] == .bool(true))
                #expect(answer["userid"] == .string("alice") && answer["returned"] == .bool(true))
                #expect(try await person.phone.run(["sessions", "--end", "all"]).code == 0)
                let over = try await browser.follow(try await browser.get(site + "/"), at: site).text
                #expect(over.contains("data-end=\"elsewhere\"") && over.contains("ended on your phone") && over.contains("The door is closed"))
                #expect(try JSONLine(try await browser.get(site + "/session").text)["loggedin"] == .bool(false))

                try await comeIn(person, browser, site)
                let left = try await browser.follow(try await browser.submit(site + "/logout"), at: site).text
                #expect(left.contains("The door is closed") && !left.contains("data-end"))
            }
        }
    }

    /// A login by the link behind the page's button, to the page of the site that greets.
    private func comeIn(_ person: Person, _ browser: PersonsBrowser, _ site: String) async throws {
        try await browser.openPage(try await pressLogIn(browser, site))
        let login = try person.phone.start(["login", try #require(try await browser.shown()["link"]?.string)], pins: [person.pin])
        let address = try #require(try await login.event("sessionUpdate")["returnURL"]?.string)
        #expect(try await browser.follow(try await browser.get(address), at: site).text.contains("Come in, alice"))
        #expect(try await login.end() == 0)
    }

    @Test(
        "kill -9 of the server between the phone's yes and the way back: the page has the same code, and it logs in",
        arguments: DatabaseEngine.allCases)
    func killed(on engine: DatabaseEngine) async throws {
        try await atTheDoor(on: engine) { pair, person, site in
            try await PersonsBrowser.open { browser in
                try await browser.openPage(try await pressLogIn(browser, site))
                let login = try await confirm(person, browser, pair)
                let address = try #require(try await browser.shown()["returnurl"]?.string)
                try await pair.authentication.kill()
                try pair.authentication.start()
                try await pair.waitUntilReady()
                #expect(try await browser.shown()["returnurl"]?.string == address)
                #expect(try await browser.follow(try await browser.get(address), at: site).text.contains("Come in, alice"))
                #expect(try await login.end() == 0)
            }
        }
    }

    @Test("Under a name that nobody can have the website enrols nobody: it says so in words, and lets the person type another")
    func badNames() async throws {
        try await atTheDoor { pair, _, site in
            try await PersonsBrowser.open { browser in
                _ = try await browser.follow(try await browser.get(site + "/"), at: site)
                let forms = [
                    "", "x=1", "name=", "name=%", "name=%zz", "name=%00", "name=%0a", "name=%E2%80%AE", "name=" + String(repeating: "a", count: 300),
                    "name=a&name=b",
                ]
                for form in forms {
                    let answer = try await browser.submit(site + "/enrol", form)
                    #expect(answer.status == 303 && answer.location == "/?name", "\(form)")
                }
                let page = try await browser.follow(try await browser.get(site + "/?name"), at: site).text
                #expect(page.contains("Nobody can be called that here") && page.contains("action=\"/enrol\""))
                let good = try await browser.submit(site + "/enrol", "name=Zo%C3%AB+R")
                #expect(good.status == 303 && good.location?.hasPrefix(pair.layout.publicURL + "/") == true, "\(good.location ?? "")")
            }
        }
    }

    @Test("A form of another site starts no login at the website, and a browser without a cookie of it begins there")
    func forgery() async throws {
        try await atTheDoor { _, _, site in
            try await PersonsBrowser.open { browser in
                _ = try await browser.follow(try await browser.get(site + "/"), at: site)
                for path in ["/login", "/enrol", "/logout"] {
                    #expect(try await browser.submit(site + path, from: "http://localhost:1").status == 403)
                }
            }
            try await PersonsBrowser.open { stranger in
                let answer = try await stranger.submit(site + "/login")
                #expect(answer.status == 303 && answer.location == "/")
            }
        }
    }
}
