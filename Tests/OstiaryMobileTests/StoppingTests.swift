import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("Sessions that go on, and ends that were over already", .timeLimit(.minutes(10)))
struct StoppingTests {
    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int { await phone.server.with { $0.received.filter { $0 == type }.count } }

    @Test("The session of an enrolment that is over is not stopped again: the account that it made stays", arguments: [true, false])
    func enrolmentThatIsOver(_ waits: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        let session = try #require(phone.ostiary.sessions.first { $0.isEnrolment && $0.isOver })
        let document = phone.accounts.document
        if waits {
            await #expect(throws: OstiaryError.wrongOrder) { try await phone.ostiary.end(session) }
        } else {
            phone.ostiary.stop(session)
            #expect(try await phone.failure().0 == .wrongOrder)
        }
        #expect(phone.accounts.document == document && phone.ostiary.accounts?.map(\.state) == [.active])
        #expect(await phone.server.with { $0.accounts.count } == 1)
    }

    @Test(
        "What a server says of a login that it ended or never had is no error for who ends it",
        arguments: [Status.accountUnknown, .refused, .tooMany])
    func serverKnowsBetter(_ status: Status) async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        await phone.server.with { $0.mishaps.statuses[.stop] = [status] }
        phone.ostiary.stop(session)
        #expect(try await phone.stopped().ending == .user)
        try await waiting(while: await !phone.server.with { $0.received.contains(.stop) })
        // Nothing else is to be told: the next thing that happens is a login.
        phone.ostiary.startAppLogin()
        let events = try await phone.all { if case .secondFactorStarted = $0 { true } else { false } }
        #expect(!events.contains { if case .error = $0 { true } else { false } })
    }

    /// The next process of the same phone.
    private func next(_ phone: TestPhone, remembersAll: Bool = false) -> TestPhone {
        TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys, history: phone.history, remembersAll: remembersAll)
    }

    private func remembered(_ phone: TestPhone) throws -> [Bool] {
        try StoredState(decoding: phone.accounts.document).sessions.map { $0.isEnding == true }
    }

    private func stops(_ phone: TestPhone) async -> [StopReason] { await phone.server.with { $0.sessions.values.compactMap(\.stop) } }

    @Test("A Stop that could not be brought is brought by the next process, which keeps the session alive no longer", arguments: [true, false])
    func broughtLater(_ waits: Bool) async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        let before = await stops(phone).count
        await phone.server.with { server in
            server.mishaps.isDown = true
            server.received = []
        }
        if waits {
            await #expect(throws: OstiaryError.serverConnection) { try await phone.ostiary.end(session) }
        } else {
            phone.ostiary.stop(session)
            #expect(try await phone.failure().0 == .serverConnection)
        }
        #expect(phone.ostiary.session(session.id)?.ending == .user)
        #expect(try remembered(phone) == [true])
        let later = next(phone)
        #expect(try await later.ostiary.refresh().isEmpty, "over for an app")
        #expect(try remembered(phone) == [true])
        await phone.server.with { $0.mishaps.isDown = false }
        #expect(try await later.ostiary.refresh().isEmpty)
        #expect(await stops(phone).count == before + 1)
        #expect(await count(.ping, phone) == 0)
        #expect(try remembered(phone).isEmpty)
    }

    @Test("What a server answers to a Stop is the end of it here, whatever it says", arguments: [Status.sessionUnknown, .refused, .accountUnknown])
    func answeredStop(_ status: Status) async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        await phone.server.with { $0.mishaps.statuses[.stop] = [status] }
        try? await phone.ostiary.end(session)
        #expect(try remembered(phone).isEmpty)
    }

    @Test("A server that is too busy for a Stop is asked again later")
    func busyAtStop() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        await phone.server.with { $0.mishaps.statuses[.stop] = [.tooMany] }
        await #expect(throws: OstiaryError.tooMany) { try await phone.ostiary.end(session) }
        #expect(try remembered(phone) == [true])
        _ = try await next(phone).ostiary.refresh()
        #expect(try remembered(phone).isEmpty)
    }

    @Test("A phone that remembers all sessions lists and ends those of its other processes, of whatever kind, until their server has answered")
    func remembersAll() async throws {
        let phone = try await TestPhone.enrolled(remembersAll: true)
        let before = await stops(phone).count
        await phone.server.with { $0.settings.pingTime = 0 }
        let oneShot = try await phone.logInByCode()
        await phone.server.with { $0.settings.pingTime = 300 }
        let app = try await phone.logInToApp()
        // A ping of the moment of the login would not be a later one.
        phone.clock.advance(1)
        let second = next(phone, remembersAll: true)
        let listed = try await second.ostiary.refresh().filter(\.isLoggedIn)
        #expect(Set(listed.map(\.id)) == [oneShot.id, app.id])
        #expect(listed.filter(\.isAppLogin).map(\.id) == [app.id] && listed.allSatisfy { $0.webNonce == nil })
        await phone.server.with { $0.mishaps.isDown = true }
        for session in listed { await #expect(throws: OstiaryError.serverConnection) { try await second.ostiary.end(session) } }

        phone.clock.advance(1)
        let third = next(phone, remembersAll: true)
        #expect(try await third.ostiary.refresh().filter(\.isLoggedIn).count == 2, "they live on, so they are listed")
        await phone.server.with { $0.mishaps.isDown = false }
        for session in listed { try await third.ostiary.end(session) }
        #expect(await stops(phone).count == before + 2)
        #expect(try await next(phone, remembersAll: true).ostiary.refresh().isEmpty)
        #expect(try remembered(phone).isEmpty)
    }

    @Test("A login that is not watched and that its server ended, or knows no more, is listed no more", arguments: [true, false])
    func oneShotThatIsOver(_ isKnown: Bool) async throws {
        let phone = try await TestPhone.enrolled(remembersAll: true)
        await phone.server.with { $0.settings.pingTime = 0 }
        _ = try await phone.logInByCode()
        if isKnown { await phone.server.stopSessions() } else { await phone.server.with { $0.mishaps.statuses[.ping] = [.sessionUnknown] } }
        #expect(try await next(phone, remembersAll: true).ostiary.refresh().allSatisfy { !$0.isLoggedIn })
        #expect(try remembered(phone).isEmpty)
    }

    /// A phone whose later process waits for the code of a new account, and the session in which it does.
    private func waitingLater() async throws -> (TestPhone, Session) {
        let first = TestPhone(try TestServer(clock: TestClock()))
        _ = try await first.enrolUpToCode()
        await (try first.ostiary.core().engine).shutDown()
        let phone = TestPhone(first.server, accounts: first.accounts, keys: first.keys)
        phone.ostiary.resume()
        let session = try await phone.until { if case .enrolConfirmation(let session, _) = $0 { session } else { nil } }
        try await waiting(while: await phone.server.with { $0.waiting.isEmpty })
        return (phone, session)
    }

    @Test("An app that ends while it waits for the code of an earlier process writes no failure down")
    func endsWhileWaitingLater() async throws {
        let (phone, session) = try await waitingLater()
        let engine = try phone.ostiary.core().engine
        await engine.shutDown()
        try await waiting(while: await !engine.backgroundTasks.isEmpty)
        #expect(phone.ostiary.history.isEmpty && phone.history.document == nil)
        #expect(phone.ostiary.session(session.id)?.isOver == false)
    }

    @Test("An account that was given up stays given up, whatever becomes of the question that was on its way")
    func givenUpWithQuestionOnItsWay() async throws {
        let (phone, session) = try await waitingLater()
        await phone.server.with { $0.mishaps.lostAnswers[.w1] = 1 }
        phone.ostiary.stop(session)
        #expect(try await phone.stopped().ending == .cancelled)
        try await waiting(while: await !phone.server.with { $0.accounts.isEmpty })
        await phone.server.wakeAll()
        let engine = try phone.ostiary.core().engine
        try await waiting(while: await !engine.backgroundTasks.isEmpty)
        #expect(phone.ostiary.session(session.id)?.ending == .cancelled)
        #expect(phone.ostiary.accounts == [] && phone.keys.names.isEmpty)
    }

    @Test("A session that is ended while a ping is on its way ends once")
    func endedUnderAPing() async throws {
        let enrolled = try await TestPhone.enrolled()
        let ambush = CancellationTests.Ambush(at: 0)
        let transport = CancellationTests.AmbushTransport(inner: TestTransport(server: enrolled.server), ambush: ambush)
        let ports = Ports(keys: enrolled.keys, accounts: enrolled.accounts, transport: transport, clock: enrolled.clock)
        var configuration = Ostiary.Configuration()
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        let ostiary = Ostiary(configuration: configuration, ports: ports.quick)
        let phone = TestPhone(enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys, ostiary)
        let session = try await phone.logInByCode()
        ambush.arm { try? await ostiary.end(session) }
        _ = try await ostiary.refresh()
        #expect(try await phone.stopped().ending == .user)
        #expect(await count(.ping, phone) == 1 && ambush.isSprung)
        ostiary.startAppLogin()
        let events = try await phone.all { if case .secondFactorStarted = $0 { true } else { false } }
        #expect(!events.contains { if case .sessionStop = $0 { true } else { false } })
    }

    @Test("A ping that brings nothing new tells the app nothing")
    func nothingNew() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        let told = phone.ostiary.hub.subscribe(replaying: false)
        for _ in 0..<3 { _ = try await phone.ostiary.refresh() }
        #expect(await count(.ping, phone) == 3)
        try await phone.ostiary.end(session)
        #expect(await told.first { _ in true }.map { if case .sessionStop = $0 { true } else { false } } == true)
    }

    @Test("Watching that is wished for again changes nothing: the server is not asked for it")
    func watchedAlready() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.logInByCode()
        try await waiting(while: phone.clock.sleeping == 0)
        phone.ostiary.setWatching(false)
        // Calls are carried out in order, and a ping would be sent before this one is answered.
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        #expect(await count(.ping, phone) == 0)
    }

    @Test("Logins that are ended from a list are all written down as ending before a server hears of the first")
    func endedFromList() async throws {
        let phone = try await TestPhone.enrolled(remembersAll: true)
        for _ in 0..<2 { _ = try await phone.logInByCode() }
        let later = next(phone, remembersAll: true)
        let accounts = phone.accounts
        let seen = Mutex<[[Bool]]>([])
        await phone.server.with { server in
            server.onMessage = { _ in
                let ending = (try? StoredState(decoding: accounts.document).sessions.map { $0.isEnding == true }) ?? []
                seen.withLock { $0.append(ending) }
            }
        }
        let ended = try await later.ostiary.end { _ in true }
        #expect(ended.count == 2 && ended.allSatisfy { $0.failure == nil })
        #expect(seen.withLock { $0.first } == [true, true])
        #expect(try remembered(phone).isEmpty)
        #expect(await stops(phone).count >= 2)
    }
}
