import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("Ping and Stop", .timeLimit(.minutes(10)))
struct PresenceTests {
    @Test("Pings keep a login alive for as long as they come in time")
    func alive() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        for _ in 0..<5 {
            world.pass(315)
            let answer = try await phone.ping(login.session)
            #expect(answer.state == .loggedIn && answer.pingTime == 300)
        }
        let status = try await world.status(webNonce: login.webNonce)
        #expect(status.loggedIn)
        #expect(status.lastPing == world.now)
        #expect(status.expiresAt == world.now + 315)
    }

    @Test("A late ping is told of the end, writes it down and revives nothing")
    func late() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        world.pass(316)
        let answer = try await phone.ping(login.session)
        #expect(answer.state == .stopped && answer.reason == .timeout)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        let stored = try await world.store.read { rows in try rows.session(login.session)?.state }
        #expect(try present(stored) == .stopped(try #require(stored?.stoppedLogin), .timeout, at: world.now - 1))
        #expect(try await phone.ping(login.session).state == .stopped)
    }

    @Test("A ping that overtakes an older one is not set back by it")
    func overtaken() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        world.pass(10)
        let slow = try world.seal(try phone.fresh(Ping(sessionID: login.session, hold: 0)))
        world.pass(20)
        _ = try await phone.ping(login.session)
        let before = try await world.status(webNonce: login.webNonce)
        world.pass(60)
        let answer = try PingAnswer(decoding: try await world.receive(slow.bytes).body)
        #expect(answer.state == .loggedIn)
        #expect(try await world.status(webNonce: login.webNonce) == before)
    }

    @Test("S1-40 a stop on the phone ends the login at once and is told the same when repeated")
    func stop() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        let answer = try await phone.stop(login.session)
        #expect(answer.state == .stopped && answer.reason == .user)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        #expect(try await phone.stop(login.session, .inactivity).reason == .user)
    }

    @Test("A phone may give its person or inactivity as the reason, and nothing that others decide", arguments: StopReason.allCases)
    func reasons(reason: StopReason) async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        if reason == .user || reason == .inactivity {
            #expect(try await phone.stop(login.session, reason).reason == reason)
        } else {
            let before = try await world.snapshot()
            #expect(try await world.refusal(of: try phone.fresh(Stop(sessionID: login.session, reason: reason))) == .malformed(.badValue))
            #expect(try await world.snapshot() == before, "the login goes on")
        }
    }

    @Test("S1-42 a stop by the server is told to the app with its next ping")
    func serverStop() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, by: .backend, now: world.now)
        #expect(try await world.status(webNonce: login.webNonce) == .nobody)
        let answer = try await phone.ping(login.session)
        #expect(answer.state == .stopped && answer.reason == .server)
    }

    @Test("Nobody but the phone that is logged in can ping or stop a session")
    func stranger() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let stranger = try await world.enrolledPhone("bob", name: "other phone")
        let login = try await phone.appLogIn()
        let before = try await world.snapshot()
        for message in [
            try stranger.fresh(Ping(sessionID: login.session, hold: 0)), try stranger.fresh(Stop(sessionID: login.session, reason: .user)),
        ] {
            #expect(try await world.refusal(of: message) == .sessionOfAnother)
        }
        #expect(Refusal.sessionOfAnother.status == Refusal.sessionUnknown.status, "nobody learns that there is such a session")
        #expect(try await world.snapshot() == before)
    }

    @Test("A signature of one request is not good in another")
    func freshness() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        let signed = try phone.fresh(Ping(sessionID: login.session, hold: 0))
        let otherKey = Outgoing(bytes: signed.bytes, ephemeral: try phone.ephemeral(), sentAt: signed.sentAt)
        let otherTime = Outgoing(bytes: signed.bytes, ephemeral: signed.ephemeral, sentAt: signed.sentAt + 1)
        #expect(try await world.refusal(of: otherKey) == .sessionOfAnother)
        #expect(try await world.refusal(of: otherTime) == .sessionOfAnother)
    }

    @Test("A session that nobody is logged in to can be neither pinged nor stopped by a phone")
    func notLoggedIn() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let shown = try await phone.startAppLogin()
        let session = shown.content.sessionID
        #expect(try await world.refusal(of: try phone.fresh(Ping(sessionID: session, hold: 0))) == .sessionUnknown)
        _ = try await phone.tryPIN(shown)
        #expect(try await world.refusal(of: try phone.fresh(Stop(sessionID: session, reason: .user))) == .sessionUnknown)
        let unknown = SessionID(using: world.random)
        #expect(try await world.refusal(of: try phone.fresh(Ping(sessionID: unknown, hold: 0))) == .sessionUnknown)
    }

    @Test("Looking again after a wait tells what happened meanwhile and counts as no ping")
    func lookAgain() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        let ping = try world.seal(try phone.fresh(Ping(sessionID: login.session, hold: 25)))
        let request = PhoneRequest(server: world.server, opened: try OpenedRequest(ping.bytes, with: world.keys.prekey), now: world.now)
        let awaited = try world.presence.ping(request)
        #expect(awaited.hold == 25 && awaited.topics == [.session(login.session)])
        guard case .nothing(.success, let again) = try await awaited.look() else { throw MissingValue() }
        world.pass(25)
        #expect(try PingAnswer(decoding: try await again(world.now).body).state == .loggedIn)
        #expect(try await world.status(webNonce: login.webNonce).lastPing == world.now - 25)
        try await world.queries.logOut(try SessionNonce(login.webNonce), at: world.server, by: .backend, now: world.now)
        #expect(try PingAnswer(decoding: try await again(world.now).body).state == .stopped)
    }

    @Test("A change of pingTime reaches the app with its next ping")
    func newPingTime() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let login = try await phone.appLogIn()
        try await world.update { $0.pingTime = 60 }
        world.pass(1)
        #expect(try await phone.ping(login.session).pingTime == 60)
        #expect(try await world.status(webNonce: login.webNonce).expiresAt == world.now + 75)
    }

    @Test("A login that nobody watches lasts half a day")
    func unwatched() async throws {
        let world = try await DomainFixture { $0.pingTime = 0 }
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        world.pass(43_200)
        #expect(try await world.status().loggedIn)
        world.pass(1)
        #expect(try await world.status() == .nobody)
    }

    @Test("Housekeeping writes down what ran out, tells it once, and forgets it a day later")
    func housekeeping() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        try await phone.logIn()
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser"), at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        world.pass(400)
        try await world.housekeeping.run(at: world.now)
        #expect(await news.next()?.kind == .loggedOut(.timeout))
        let after = try await world.snapshot()
        try await world.housekeeping.run(at: world.now)
        #expect(try await world.snapshot() == after)
        world.pass(90_000)
        try await world.housekeeping.run(at: world.now)
        let later = try await world.snapshot()
        #expect(later.sessions.isEmpty && later.pointers.isEmpty && later.spent.isEmpty && later.enrolments.isEmpty)
    }
}

extension PresenceTests {
    @Test("Hundreds of logins that nobody used end by one run of housekeeping and are gone by another, five minutes after their end")
    func unused() async throws {
        let world = try await DomainFixture()
        for number in 0..<450 { _ = try await world.link("browser \(number)") }
        let stream = try await world.queries.stream(of: DomainFixture.nonce("browser 7"), at: world.server)
        var news = world.hub.subscribe(to: [.stream(stream)]).makeAsyncIterator()
        world.pass(301)
        try await world.housekeeping.run(at: world.now)
        #expect(await news.next()?.kind == .expired)
        #expect(try await world.snapshot().sessions.values.filter { $0.state == .expired }.count == 450)
        world.pass(299)
        try await world.housekeeping.run(at: world.now)
        #expect(try await world.snapshot().sessions.count == 450)
        world.pass(1)
        try await world.housekeeping.run(at: world.now)
        let later = try await world.snapshot()
        #expect(later.sessions.isEmpty && later.pointers.isEmpty)
    }
}

extension SessionState {
    var stoppedLogin: Login? {
        if case .stopped(let login, _, _) = self { login } else { nil }
    }
}
