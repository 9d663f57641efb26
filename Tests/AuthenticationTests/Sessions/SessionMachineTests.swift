import Authentication
import OstiaryProtocol
import Testing

@Suite("SessionMachine")
struct SessionMachineTests {
    private typealias Sample = SessionSample
    private let now = SessionSample.start + 10

    private static let finals: [SessionState] = [
        .denied(SessionSample.denial()), .expired, .stopped(SessionSample.login(), .server, at: SessionSample.start),
    ]

    @Test("The first claim takes an open session; the same account may claim again, by another link too")
    func claim() throws {
        let claimed = try Sample.session().after(.claim(Sample.alice, .qrDynamic), at: now)
        #expect(claimed.state == .claimed(.init(account: Sample.alice, binding: .qrDynamic)))
        let again = try claimed.after(.claim(Sample.alice, .unboundLink), at: now)
        #expect(again.state == .claimed(.init(account: Sample.alice, binding: .unboundLink)))
    }

    @Test("Another account comes too late, before and after the login")
    func otherAccount() throws {
        let claimed = Sample.session(Sample.claim())
        #expect(claimed.refusal(of: .claim(Sample.bob, .qrStatic), at: now) == .taken)
        #expect(claimed.refusal(of: .logIn(Sample.login(Sample.bob)), at: now) == .taken)
        #expect(claimed.refusal(of: .deny(Sample.denial(Sample.bob)), at: now) == .taken)
        let loggedIn = Sample.session(.loggedIn(Sample.login()))
        #expect(loggedIn.refusal(of: .claim(Sample.bob, .qrStatic), at: now) == .taken)
        #expect(loggedIn.refusal(of: .logIn(Sample.login(Sample.bob)), at: now) == .taken)
        #expect(loggedIn.refusal(of: .deny(Sample.denial(Sample.bob)), at: now) == .taken)
    }

    @Test("A session about a device's code is over with the code, and no code makes it longer; who claims it in time has three minutes more")
    func codeLife() throws {
        let (server, id) = (Sample.session().server, Sample.session().id)
        for (life, open) in [(UInt64(60), UInt64(60)), (600, 300), (0, 0)] {
            let session = Session(
                id: id, server: server, nonceHash: nil, stream: nil, purpose: .login, startedAt: Sample.start, codeLife: life)
            let last = Sample.start + open
            #expect(session.settled(at: last).state == .open && session.settled(at: last + 1).state == .expired)
            let claimed = try session.after(.claim(Sample.bob, .unboundLink), at: last)
            #expect(claimed.settled(at: last + 180).state == claimed.state && claimed.settled(at: last + 181).state == .expired)
        }
    }

    @Test("A session for one account is claimed by no other")
    func preselected() throws {
        let session = Sample.session(preselected: Sample.alice)
        #expect(session.refusal(of: .claim(Sample.bob, .qrStatic), at: now) == .taken)
        #expect(session.refusal(of: .claim(Sample.alice, .qrStatic), at: now) == nil)
    }

    @Test("Nothing is decided, and nothing pinged, in a session that nobody claimed")
    func early() {
        let open = Sample.session()
        #expect(open.refusal(of: .logIn(Sample.login()), at: now) == .early)
        #expect(open.refusal(of: .deny(Sample.denial()), at: now) == .early)
        #expect(open.refusal(of: .ping(stamp: now, patience: 315), at: now) == .early)
        #expect(Sample.session(Sample.claim()).refusal(of: .ping(stamp: now, patience: 315), at: now) == .early)
    }

    @Test("A session is logged in once, and a decision does not change afterwards")
    func decidedOnce() throws {
        let loggedIn = try Sample.session(Sample.claim()).after(.logIn(Sample.login()), at: now)
        #expect(loggedIn.login == Sample.login())
        #expect(loggedIn.refusal(of: .logIn(Sample.login()), at: now) == .over)
        #expect(loggedIn.refusal(of: .deny(Sample.denial()), at: now) == .over)
        let denied = try Sample.session(Sample.claim()).after(.deny(Sample.denial(notMe: true)), at: now)
        #expect(denied.state == .denied(Sample.denial(notMe: true)))
        #expect(denied.refusal(of: .logIn(Sample.login()), at: now) == .over)
    }

    @Test("What is over stays over, whatever happens", arguments: finals)
    func final(state: SessionState) throws {
        let session = Sample.session(state)
        #expect(session.isFinished)
        #expect(session.refusal(of: .claim(Sample.alice, .qrStatic), at: now) == .over)
        #expect(session.refusal(of: .logIn(Sample.login()), at: now) == .over)
        #expect(session.refusal(of: .deny(Sample.denial()), at: now) == .over)
        #expect(try session.after(.ping(stamp: now, patience: 315), at: now) == session)
        #expect(try session.after(.stop(.user), at: now) == session)
    }

    @Test("Stopping a session before its login closes it, so that nothing can log it in afterwards")
    func stopBeforeLogin() throws {
        for state in [SessionState.open, Sample.claim()] {
            let stopped = try Sample.session(state).after(.stop(.server), at: now)
            #expect(stopped.state == .expired)
            #expect(stopped.refusal(of: .logIn(Sample.login()), at: now) == .over)
        }
    }

    @Test("Stopping a login keeps who it was, why and when it ended")
    func stopAfterLogin() throws {
        let stopped = try Sample.session(.loggedIn(Sample.login())).after(.stop(.inactivity), at: now)
        #expect(stopped.state == .stopped(Sample.login(), .inactivity, at: now))
        #expect(stopped.account == Sample.alice)
        #expect(stopped.login == nil)
    }

    @Test("The account of a session is known from the claim on")
    func account() {
        #expect(Sample.session().account == nil)
        #expect(Sample.session(Sample.claim()).account == Sample.alice)
        #expect(Sample.session(.denied(Sample.denial())).account == Sample.alice)
        #expect(Sample.session(.expired).account == nil)
    }
}

@Suite("Deadlines")
struct DeadlineTests {
    private typealias Sample = SessionSample

    @Test("A session waits five minutes for a phone, to the second")
    func open() {
        let session = Sample.session()
        #expect(session.settled(at: Sample.start + 300).state == .open)
        #expect(session.settled(at: Sample.start + 301).state == .expired)
    }

    @Test("It waits three minutes more for the phone that claimed it, however late it did")
    func claimed() throws {
        let session = try Sample.session().after(.claim(Sample.alice, .qrStatic), at: Sample.start + 300)
        #expect(session.settled(at: Sample.start + 480).state == Sample.claim())
        #expect(session.settled(at: Sample.start + 481).state == .expired)
        #expect(session.refusal(of: .logIn(Sample.login()), at: Sample.start + 481) == .over)
        #expect(session.refusal(of: .logIn(Sample.login()), at: Sample.start + 480) == nil)
    }

    @Test("A login without an answer ends at its deadline, although nobody has written that down")
    func loggedIn() {
        let session = Sample.session(.loggedIn(Sample.login(lasting: 315)))
        #expect(session.settled(at: Sample.start + 315).login != nil)
        let later = session.settled(at: Sample.start + 316)
        #expect(later.state == .stopped(Sample.login(), .timeout, at: Sample.start + 315))
    }

    @Test("What is over does not run out once more", arguments: [SessionState.denied(SessionSample.denial()), .expired])
    func finals(state: SessionState) {
        let session = Sample.session(state)
        #expect(session.settled(at: Instant(.max)) == session)
    }

    @Test("At the end of time everything is over and nothing traps")
    func endOfTime() {
        let session = Sample.session(.loggedIn(Sample.login(lasting: .max)))
        #expect(session.settled(at: Instant(.max)).login != nil)
        #expect(Sample.session().settled(at: Instant(.max)).state == .expired)
    }
}

@Suite("Ping rules")
struct PingRuleTests {
    private typealias Sample = SessionSample

    @Test("A ping in time moves the deadline to patience after it")
    func inTime() throws {
        let session = Sample.session(.loggedIn(Sample.login()))
        let at = Sample.start + 315
        let login = try present(try session.after(.ping(stamp: at, patience: 315), at: at).login)
        #expect(login.deadline == at + 315)
        #expect(login.lastPing == at)
        #expect(login.lastStamp == at)
    }

    @Test("A late ping never revives: the session is over, and stays as long dead as it was")
    func late() throws {
        let session = Sample.session(.loggedIn(Sample.login()))
        let late = try session.after(.ping(stamp: Sample.start + 316, patience: 315), at: Sample.start + 316)
        #expect(late.state == .stopped(Sample.login(), .timeout, at: Sample.start + 315))
        let later = try late.after(.ping(stamp: Sample.start + 400, patience: 315), at: Sample.start + 400)
        #expect(later == late)
    }

    @Test("A ping with the same or an older stamp only reads", arguments: [0, 1, 100])
    func oldStamp(age: UInt64) throws {
        let session = Sample.session(.loggedIn(Sample.login(stamp: Sample.start + 200)))
        #expect(try session.after(.ping(stamp: Sample.start + 200 - age, patience: 315), at: Sample.start + 210) == session)
    }

    @Test("A login that is not watched keeps its deadline when it is pinged")
    func unwatched() throws {
        let session = Sample.session(.loggedIn(Sample.login(lasting: ServerParameters.unwatchedLife)))
        let pinged = try present(try session.after(.ping(stamp: Sample.start + 50, patience: nil), at: Sample.start + 50).login)
        #expect(pinged.deadline == Sample.start + 43_200)
        #expect(pinged.lastPing == Sample.start + 50)
    }

    @Test("A shorter patience counts from the next ping on")
    func shorterPatience() throws {
        let session = Sample.session(.loggedIn(Sample.login()))
        let pinged = try session.after(.ping(stamp: Sample.start + 5, patience: 20), at: Sample.start + 5)
        #expect(pinged.login?.deadline == Sample.start + 25)
    }
}
