import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("AppLogin")
struct AppLoginTests {
    @Test("S0-01, 04 an app logs in to itself and gets a webNonce, by which S0-09 a backend learns who it is with one question")
    func webNonce() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        #expect(shown.content.purpose == .app && shown.content.browser.binding == .app)
        #expect(shown.content.selects(try present(phone.account)) == true)
        let answer = try await phone.decide(try phone.accepting(shown, try await phone.tryPIN(shown)))
        let webNonce = try present(answer.webNonce)
        #expect(webNonce.utf8.count == 43)
        let status = try await world.status(webNonce: webNonce)
        #expect(status.loggedIn && status.userID == "alice" && status.authentication?.binding == "app")
        #expect(status.hsid == nil)
    }

    @Test("The webNonce is kept as its hash only, and is not rotated by pings")
    func hashOnly() async throws {
        let world = try await DomainFixture()
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
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        _ = try await phone.stop(login.session)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, by: .backend, now: world.now)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
    }

    @Test("S1-04 a newer AppLogin of the account takes the place of the older, which is told")
    func replaced() async throws {
        let world = try await DomainFixture()
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
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        try await phone.logIn()
        let theirs = try await other.appLogIn()
        _ = try await phone.appLogIn()
        #expect(try await world.status().loggedIn)
        #expect(try await world.status(webNonce: theirs.webNonce).loggedIn)
    }

    @Test("A login in a browser leaves the app logged in")
    func browserBeside() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let app = try await phone.appLogIn()
        try await phone.logIn()
        #expect(try await world.status(webNonce: app.webNonce).loggedIn)
        #expect(try await phone.ping(app.session).state == .loggedIn)
    }

    @Test("The session of an AppLogin is for its account only, and is no session of a browser")
    func own() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let other = try await world.enrolledPhone("bob", name: "other")
        let shown = try await phone.startAppLogin()
        #expect(try await world.refusal(of: try other.deciding(shown, .init(decision: .decline))) == .sessionTaken)
        #expect(try await phone.decide(try phone.refusing(shown)).result == .denied)
    }

    @Test("An account that nobody has, one that is blocked and one of another server start no AppLogin")
    func refused() async throws {
        let world = try await DomainFixture()
        var phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let own = try phone.openingApp()
        let elsewhere = try await world.refusal { _ = try await world.deliver(own, at: world.neighbour.server) }
        #expect(elsewhere == .accountUnknown)
        _ = try await world.accounts.setBlocked(true, account, at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: own) == .accountBlocked)
        phone.account = AccountID(using: world.random)
        #expect(try await world.refusal(of: try phone.openingApp()) == .accountUnknown)
    }

    @Test("An L1 that the account's own device did not sign for this very request is refused and leaves nothing behind")
    func unsigned() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        var thief = try await world.enrolledPhone("eve", name: "thief")
        thief.account = phone.account
        let good = try phone.openingApp()
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: try thief.openingApp()) == .badSignature)
        let other = Outgoing(bytes: good.bytes, ephemeral: try thief.ephemeral(), sentAt: good.sentAt)
        #expect(try await world.refusal(of: other) == .badSignature)
        let later = Outgoing(bytes: good.bytes, ephemeral: good.ephemeral, sentAt: good.sentAt + 1)
        #expect(try await world.refusal(of: later) == .badSignature)
        let unsigned = Outgoing(bytes: good.bytes.dropLast(65) + [0], ephemeral: good.ephemeral, sentAt: good.sentAt)
        #expect(try await world.refusal(of: unsigned) == .malformed(.badValue))
        #expect(Refusal.badSignature.status == .refused && Refusal.malformed(.badValue).status == .refused)
        #expect(try await world.snapshot() == before)
    }

    @Test("Whether an account is blocked or waits for its code is told to its own device only")
    func toldToDevice() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        var thief = try await world.enrolledPhone("eve", name: "thief")
        thief.account = phone.account
        _ = try await world.accounts.setBlocked(true, try present(phone.account), at: world.server, by: .backend, now: world.now)
        #expect(try await world.refusal(of: try thief.openingApp()) == .badSignature)
        #expect(try await world.refusal(of: try phone.openingApp()) == .accountBlocked)
        var pending = try TestPhone(world, "pending")
        let invitation = try await world.invite("bob")
        pending.account = try await pending.enrolPending(invitation).shown.accountID
        thief.account = pending.account
        #expect(try await world.refusal(of: try thief.openingApp()) == .badSignature)
        #expect(try await world.refusal(of: try pending.openingApp()) == .accountPending)
    }

    @Test("However many AppLogins are begun, none keeps another out, and nothing is stored before one is claimed")
    func unbounded() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let before = try await world.snapshot()
        var shown: [Shown] = []
        for _ in 0..<40 { shown.append(try await phone.startAppLogin()) }
        #expect(try await world.snapshot() == before)
        #expect(Set(shown.map(\.content.sessionID)).count == 40)
        let first = try present(shown.first)
        #expect(try await phone.decide(try phone.accepting(first, try await phone.tryPIN(first))).result == .loggedIn)
        #expect(try await phone.decide(try phone.refusing(shown[39])).result == .denied)
    }

    @Test("The row of an AppLogin is made by the PIN or decision that claims it: once, however often it comes")
    func oneRow() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let rows = try await world.snapshot().sessions.count
        #expect(try await phone.tryPIN(shown).status == .ok)
        #expect(try await world.snapshot().sessions.count == rows + 1)
        let decision = try phone.accepting(shown, try await phone.tryPIN(shown))
        _ = try await phone.decide(decision)
        _ = try await phone.decide(decision)
        #expect(try await world.snapshot().sessions.count == rows + 1)
    }

    @Test("Two decisions with one offer make one session: the second finds what the first did", arguments: [false, true])
    func oneOffer(accepts: Bool) async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        _ = try await phone.decide(try phone.deciding(shown, .init(decision: accepts ? .accept : .decline)))
        let sessions = try await world.snapshot().sessions.count
        #expect(try await world.refusal(of: try phone.deciding(shown, .init(userInput: "again"))) == .differentDecision)
        #expect(try await world.snapshot().sessions.count == sessions)
        // Also when everything that may be forgotten is: no offer lives longer than its row.
        for _ in 0..<10 {
            world.pass(40)
            try await world.housekeeping.run(at: world.now)
            let refusal = try await world.refusal(of: try phone.deciding(shown, .init(userInput: "again")))
            #expect(refusal == .differentDecision || refusal == .sessionOver)
        }
        #expect(try await world.snapshot().sessions.count <= sessions)
    }

    @Test("Five minutes after it was made an offer begins nothing any more")
    func fiveMinutes() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let (early, late) = (try await phone.startAppLogin(), try await phone.startAppLogin())
        world.pass(300)
        #expect(try await phone.tryPIN(early).status == .ok)
        world.pass(1)
        let before = try await world.snapshot()
        #expect(try await world.refusal(of: try phone.trying(late).message) == .sessionOver)
        #expect(try await world.refusal(of: try phone.refusing(late)) == .sessionOver)
        #expect(try await world.snapshot() == before)
    }

    @Test("When the server comes to ask for a second factor, an offer of before asks for none no more")
    func demands() async throws {
        let world = try await DomainFixture { $0.pinTimeout = -1 }
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        try await world.update { $0.pinTimeout = 0 }
        #expect(try await world.refusal(of: try phone.deciding(shown, .init())) == .questionChanged)
        #expect(try await phone.startAppLogin().content.secondFactor == .needed)
    }

    @Test("The L2 of a login for one account tells nobody else which it is")
    func mark() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let account = try present(phone.account)
        let stranger = try TestPhone(world, "stranger")
        let link = try await world.link(preselecting: account)
        let (first, second) = (try await stranger.look(at: link), try await stranger.look(at: link))
        for shown in [first, second, try await phone.startAppLogin()] {
            #expect(shown.answer.bytes.firstRange(of: account.bytes) == nil)
            #expect(shown.content.selects(account) == true && shown.content.selects(AccountID(using: world.random)) == false)
        }
        #expect(first.content.accountMark != second.content.accountMark)
    }

    @Test("Without the second-factor server no login starts, and those that are there go on")
    func secondFactorDown() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        world.secondFactor.set { $0.isDown = true }
        world.pass(1)
        #expect(try await world.refusal(of: try phone.openingApp()) == .secondFactorUnavailable)
        #expect(try await phone.ping(login.session).state == .loggedIn)
        #expect(try await world.status(webNonce: login.webNonce).loggedIn)
        #expect(try await phone.stop(login.session).state == .stopped)
    }
}
