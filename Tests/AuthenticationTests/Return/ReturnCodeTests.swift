import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("A page login ends in the browser that began it")
struct ReturnCodeTests {
    @Test("A scanned page: nobody is logged in before its browser comes back with the code, then somebody is")
    func scanned() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let answer = try await phone.confirmPage()
        #expect(answer.result == .loggedIn && answer.isReturning && answer.returnCode == nil)
        #expect(try await world.status().loggedIn == false)
        let status = try await world.handIn(try present(try await world.code()))
        #expect(status.loggedIn && status.userID == "alice" && status.returned && status.authentication?.binding == "qrDynamic")
        #expect(try await world.status() == status)
        #expect(try await phone.ping(try present(answer.sessionID)).isReturning == false)
    }

    @Test("Whoever forwards the ticket of a page gains nothing: the code that comes with another cookie ends the session, and the phone is told")
    func forwardedTicket() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        // The attacker's nonce, and the page in the browser of the victim.
        try await world.openPage("the victim's page", of: "attacker")
        let answer = try await phone.confirmPage("attacker")
        let code = try present(try await world.code(of: "the victim's page", "attacker"))
        #expect(try await world.tryHandIn(code, by: "victim") == nil)
        #expect(try await world.status("attacker") == .nobody)
        #expect(try await world.status("victim") == .nobody)
        let told = try await phone.ping(try present(answer.sessionID))
        #expect(told.state == .stopped && told.reason == .otherBrowser)
        // He reads the address afterwards: spent.
        #expect(try await world.tryHandIn(code, by: "attacker") == nil)
        #expect(try await world.snapshot().audit.last?.kind == .loginInOtherBrowser)
    }

    @Test("The code goes to one place only: after a scan to the page that showed what was scanned")
    func onePageOnly() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage("first")
        try await world.openPage("second")
        _ = try await phone.confirmPage()
        #expect(try await world.code(of: "first") == nil)
        #expect(try await world.code(of: "second") != nil)
    }

    @Test("After a tapped link the app has the code, and no page has it")
    func tapped() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let shown = try await phone.look(at: try await world.drawn(.returning), via: .link)
        #expect(shown.content.browser.binding == .returnCode && shown.content.returnURL == DomainFixture.returnURL)
        let answer = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        #expect(answer.isReturning)
        #expect(try await world.code() == nil)
        let status = try await world.handIn(ReturnCode(try present(answer.returnCode)))
        #expect(status.loggedIn && status.authentication?.binding == "returnCode" && status.returned)
    }

    @Test("Whoever forwards the tapped link of his page gains nothing: the victim's browser has another cookie")
    func forwardedLink() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage(of: "attacker")
        let answer = try await phone.confirmTapped(try await world.drawn(.returning, of: "attacker"))
        #expect(try await world.code("attacker") == nil)
        #expect(try await world.tryHandIn(ReturnCode(try present(answer.returnCode)), by: "victim") == nil)
        #expect(try await world.status("attacker") == .nobody)
        #expect(try await phone.ping(try present(answer.sessionID)).reason == .otherBrowser)
    }

    @Test("What a scanned login is shown names no return address, so that no app opens one")
    func scannedHasNoAddress() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        #expect(try await phone.look(at: try await world.drawn()).content.returnURL.isEmpty)
        let unbound = try await phone.look(at: try await world.link("other", .tapped), via: .link).content
        #expect(unbound.returnURL.isEmpty && unbound.browser.binding == .unboundLink)
    }

    @Test("While its browser is awaited a session is logged in nowhere, by no question")
    func nowhereLoggedIn() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let before = try present(try await world.account(try present(phone.account))).lastLogin
        try await world.openPage()
        _ = try await phone.confirmPage()
        var expected = LoginStatus()
        expected.state = .returning
        expected.hsid = try await world.session()?.stream
        #expect(try await world.status() == expected)
        let stream = try present(expected.hsid)
        #expect(try await world.queries.isLoggedIn(stream: stream, at: world.server, now: world.now) == false)
        #expect(try await world.account(try present(phone.account))?.lastLogin == before)
        try await world.handIn(try present(try await world.code()))
        #expect(try await world.queries.isLoggedIn(stream: stream, at: world.server, now: world.now))
        #expect(try await world.account(try present(phone.account))?.lastLogin == world.now)
    }

    @Test("After 120 seconds nobody is logged in, the code is too old, and the phone is told")
    func tooLate() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let answer = try await phone.confirmPage()
        let code = try present(try await world.code())
        world.pass(121)
        #expect(try await world.tryHandIn(code) == nil)
        #expect(try await world.status() == .nobody)
        let told = try await phone.ping(try present(answer.sessionID))
        #expect(told.state == .stopped && told.reason == .timeout)
    }

    @Test("The deadline of a login counts from the hand-in, and its pings hold it from then on")
    func deadline() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        let answer = try await phone.confirmPage()
        world.pass(119)
        #expect(try await phone.ping(try present(answer.sessionID)).isReturning)
        let status = try await world.handIn(try present(try await world.code()))
        #expect(status.expiresAt == world.now + 315 && status.loginTime == world.now)
    }

    @Test("Strict links take the button of a page and still refuse every link that nothing binds")
    func strictLinks() async throws {
        let world = try await DomainFixture { $0.flags = ["STRICT_LINKS"] }
        let phone = try await world.enrolledPhone()
        try await world.openPage()
        #expect(try await phone.look(at: try await world.drawn(.returning), via: .link).content.browser.binding == .returnCode)
        let unbound = try phone.looking(at: try await world.link("other", .tapped), via: .link)
        #expect(try await world.refusal(of: unbound) == .linkNotAllowed)
    }
}
