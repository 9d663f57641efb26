import Authentication
import OstiaryProtocol
import Testing

@Suite("AppLogin")
struct AppLoginTests {
    @Test("S0-01, 04 an app logs in to itself and gets a webNonce, by which S0-09 a backend learns who it is with one question")
    func webNonce() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        #expect(shown.content.purpose == .app && shown.content.browser.binding == .app)
        #expect(shown.content.accountID == phone.account)
        let answer = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        let webNonce = try present(answer.webNonce)
        #expect(webNonce.utf8.count == 43)
        let status = try await world.status(webNonce: webNonce)
        #expect(status.loggedIn && status.userID == "alice" && status.authentication?.binding == "app")
        #expect(status.hsid == nil)
    }

    @Test("The webNonce is kept as its hash only, and is not rotated by pings")
    func hashOnly() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        let stored = try await world.store.read { rows in try rows.session(login.session)?.nonceHash }
        #expect(stored == Transcript.nonce(login.webNonce))
        world.pass(100)
        _ = try await phone.ping(login.session)
        #expect(try await world.status(webNonce: login.webNonce).loggedIn)
    }

    @Test("The webNonce is nobody before the login and nobody after the stop")
    func goneAfterStop() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        _ = try await phone.stop(login.session)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, now: world.now)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
    }

    @Test("S1-04 a newer AppLogin of the account takes the place of the older, which is told")
    func replaced() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let first = try await phone.appLogIn()
        world.pass(1)
        let second = try await phone.appLogIn()
        #expect(try await world.status(webNonce: first.webNonce) == .nobody)
        #expect(try await world.status(webNonce: second.webNonce).loggedIn)
        let told = try await phone.ping(first.session)
        #expect(told.state == .stopped && told.reason == .replaced)
        #expect(try await phone.ping(second.session).state == .loggedIn)
    }

    @Test("An AppLogin of one account leaves browsers and other accounts alone")
    func othersStay() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        try await phone.logIn()
        let theirs = try await other.appLogIn()
        _ = try await phone.appLogIn()
        #expect(try await world.status().loggedIn)
        #expect(try await world.status(webNonce: theirs.webNonce).loggedIn)
    }

    @Test("The session of an AppLogin is for its account only, and is no session of a browser")
    func own() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let shown = try await phone.startAppLogin()
        #expect(try await world.refusal(of: try other.deciding(shown, .init(decision: .decline))) == .sessionTaken)
        #expect(try await phone.decide(try phone.refusing(shown)).result == .denied)
    }

    @Test("An account that nobody has, one that is blocked and one of another server start no AppLogin")
    func refused() async throws {
        let world = try await World()
        var phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let own = try phone.looking(at: nil, via: .app)
        let elsewhere = try await world.refusal { _ = try await world.deliver(own, at: world.neighbour.server) }
        #expect(elsewhere == .accountUnknown)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, now: world.now)
        #expect(try await world.refusal(of: own) == .accountBlocked)
        phone.account = AccountID(using: world.random)
        #expect(try await world.refusal(of: try phone.looking(at: nil, via: .app)) == .accountUnknown)
    }

    @Test("At most sixteen AppLogins of an account wait at a time: the oldest gives way")
    func bounded() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        var shown: [Shown] = []
        for _ in 0..<17 {
            shown.append(try await phone.startAppLogin())
            world.pass(1)
        }
        let waiting = try await world.store.read { rows in try rows.openAppSessions(of: try present(phone.account)).count }
        #expect(waiting == 16)
        #expect(try await world.refusal(of: try phone.refusing(shown[0])) == .sessionOver)
        #expect(try await phone.decide(try phone.refusing(shown[1])).result == .denied)
    }

    @Test("Without the second-factor server no login starts, and those that are there go on")
    func secondFactorDown() async throws {
        let world = try await World()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        world.secondFactor.set { $0.isDown = true }
        world.pass(1)
        #expect(try await world.refusal(of: try phone.looking(at: nil, via: .app)) == .secondFactorUnavailable)
        #expect(try await phone.ping(login.session).state == .loggedIn)
        #expect(try await world.status(webNonce: login.webNonce).loggedIn)
        #expect(try await phone.stop(login.session).state == .stopped)
    }
}
