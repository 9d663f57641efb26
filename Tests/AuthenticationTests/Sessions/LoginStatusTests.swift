import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@Suite("LoginStatus")
struct LoginStatusTests {
    @Test("An unknown nonce is nobody")
    func unknown() async throws {
        let world = try await DomainFixture()
        #expect(try await world.status() == .nobody)
        #expect(LoginStatus.nobody.state == .none)
        #expect(!LoginStatus.nobody.loggedIn)
    }

    @Test("While a session waits, the status has a link that a phone can scan, and no account")
    func open() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        _ = try await world.link()
        let status = try await world.status()
        #expect(status.state == .open)
        #expect(!status.loggedIn && status.accountID == nil)
        #expect(status.hsid == (try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)))
        let link = try Encoded<LoginLink>(decoding: try present(status.loginQRData))
        #expect(link.value.binding == .qrStatic)
        #expect(try await phone.look(at: link).content.browser.binding == .qrStatic)
    }

    @Test("A claimed session shows neither link nor account")
    func claimed() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        _ = try await phone.tryPIN(try await phone.look(at: try await world.link()))
        let status = try await world.status()
        #expect(status.state == .claimed)
        #expect(!status.loggedIn && status.accountID == nil && status.loginQRData == nil)
    }

    @Test("S0-07 the nonce tells whether somebody is logged in, and who, how and since when")
    func loggedIn() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        let status = try await world.status()
        #expect(status.loggedIn && status.state == .loggedIn)
        #expect(status.userID == "alice")
        #expect(status.accountID == phone.account)
        #expect(status.publicKey == phone.publicKey)
        #expect(status.deviceID == phone.instance)
        #expect(status.loginTime == world.now)
        #expect(status.lastPing == world.now)
        #expect(status.expiresAt == world.now + 315)
        #expect(status.authentication?.amr == ["mfa", "pin", "pop"])
        #expect(status.authentication?.acr == "mfa")
        #expect(status.authentication?.binding == "qrStatic")
        #expect(status.authentication?.time == world.now)
        #expect(!status.otpLogin && status.loginQRData == nil)
    }

    @Test("Without a second factor the status says so and claims nothing more")
    func deviceOnly() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.look(at: try await world.link())
        _ = try await phone.decide(try phone.deciding(shown, .init()))
        let facts = try await world.status().authentication
        #expect(facts?.amr == ["pop"])
        #expect(facts?.acr == "sf")
        #expect(facts != nil && facts?.time == nil)
    }

    @Test("The enrolled browser is logged in, and its binding is the enrolment")
    func enrolment() async throws {
        let world = try await DomainFixture()
        _ = try await world.freshlyEnrolledPhone()
        let status = try await world.status("enrolling phone")
        #expect(status.loggedIn && status.userID == "alice")
        #expect(status.authentication?.binding == "enrolment")
    }

    @Test("What is over looks exactly as if it had never been: ran out, denied, stopped, logged out")
    func over() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        _ = try await world.link("waits in vain")
        let refused = try await phone.look(at: try await world.link("refused"))
        _ = try await phone.decide(try phone.refusing(refused))
        try await phone.logIn("logged out")
        try await world.logOut("logged out")
        try await phone.logIn("silent")
        world.pass(316)
        for browser in ["waits in vain", "refused", "logged out", "silent"] {
            #expect(try await world.status(browser) == .nobody)
        }
    }

    @Test("The deadline is computed at read: nobody needs to have written down that a login ran out")
    func computedAtRead() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        world.pass(315)
        #expect(try await world.status().loggedIn)
        let before = try await world.snapshot()
        world.pass(1)
        #expect(try await world.status() == .nobody)
        #expect(try await world.snapshot() == before)
    }

    @Test("Asking does not need the second-factor server")
    func independent() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        world.secondFactor.set { $0.isDown = true }
        #expect(try await world.status().loggedIn)
    }

    @Test("Another virtual server knows nothing by the same nonce")
    func otherServer() async throws {
        let world = try await DomainFixture()
        try await world.enrolledPhone().logIn()
        let status = try await world.queries.status(of: DomainFixture.nonce("browser"), at: world.neighbour.server, now: world.now)
        #expect(status == .nobody)
    }
}
