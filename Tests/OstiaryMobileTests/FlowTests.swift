import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

@Suite("One flow at a time", .timeLimit(.minutes(10)))
struct FlowTests {
    @Test("A second flow is refused while one goes on, and does not disturb it")
    func second() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.startAppLogin()
        #expect(try await phone.failure().0 == .flowInProgress)
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        #expect(try await phone.failure().0 == .flowInProgress)
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }

    @Test("Calls that belong to no step are typed errors")
    func wrongOrder() async throws {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.setAccount(phone.ostiary.accounts?.first, for: session)
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.sfInput(PIN("271828"))
        let loggedIn = try await phone.login()
        for call in [
            { phone.ostiary.deny(loggedIn) }, { phone.ostiary.startUserInteraction(for: loggedIn) }, { phone.ostiary.sfInput(PIN("271828")) },
        ] {
            call()
            #expect(try await phone.failure().0 == .wrongOrder)
        }
        phone.ostiary.stop(loggedIn)
        _ = try await phone.stopped()
        phone.ostiary.stop(loggedIn)
        #expect(try await phone.failure().0 == .wrongOrder)
    }

    @Test("An answer that names another session than the one that is asked about is an error and answers nothing")
    func anotherSession() async throws {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.beginLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let former = try await phone.login()
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        #expect(session.id != former.id)
        phone.ostiary.setAccount(accounts.first, for: former)
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.deny(former)
        #expect(try await phone.failure().0 == .wrongOrder)
        phone.ostiary.setAccount(accounts.first, for: session)
        #expect(try await phone.secondFactor().session?.id == session.id)
    }

    @Test("startUserInteraction is for the session that is ready, once; where the SDK goes on by itself it is harmless", arguments: [true, false])
    func startingTwice(isManual: Bool) async throws {
        let phone = try await TestPhone.enrolled { $0.manuallyStartUserInteraction = false }
        let other = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys) { $0.manuallyStartUserInteraction = isManual }
        let foreign = try await phone.beginLogin()
        other.ostiary.start(with: try await phone.server.makeLoginLink())
        _ = try await other.until { if case .sessionUpdate(let session) = $0, session.state == .readyForUserInteraction { session } else { nil } }
        if isManual {
            other.ostiary.startUserInteraction(for: foreign)
            #expect(try await other.failure().0 == .wrongOrder)
            other.ostiary.startUserInteraction(for: nil)
        }
        let (session, accounts) = try await other.confirmLogin()
        other.ostiary.startUserInteraction(for: session)
        if isManual { #expect(try await other.failure().0 == .wrongOrder) }
        other.ostiary.setAccount(accounts.first, for: session)
        let next = try await other.until { event -> OstiaryEvent? in
            switch event {
            case .secondFactorStarted, .error: event
            default: nil
            }
        }
        guard case .secondFactorStarted = next else {
            Issue.record("\(next)")
            return
        }
    }

    @Test(
        "Given up at any message of a login, nothing is stored or logged in here, and the next login works",
        arguments: [MessageType.l1, .m1, .l5])
    func cancelLogin(_ type: MessageType) async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.cancel(phone.ostiary, at: type)
        phone.ostiary.startAppLogin()
        if type != .l1 {
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        }
        // The decision may have been answered before the wish to give up arrived: then it was a login that ended at once.
        let ended = try await phone.stopped()
        #expect(ended.ending == .cancelled || (type == .l5 && ended.ending == .user))
        await phone.server.with { $0.onMessage = nil }
        try await waiting(
            while: await phone.server.with { server in server.sessions.values.contains { $0.isApp && $0.outcome != nil && $0.stop != .user } })
        phone.ostiary.startAppLogin()
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
    }

    @Test(
        "Given up at any message of an enrolment, no account stays, here or at the server, and the next enrolment works",
        arguments: [MessageType.e1, .m1, .e3, .w1])
    func cancelEnrolment(_ type: MessageType) async throws {
        let phone = TestPhone(try TestServer(clock: TestClock()))
        await phone.server.cancel(phone.ostiary, at: type)
        phone.ostiary.start(with: try await phone.server.makeEnrolLink())
        if type != .e1 {
            phone.ostiary.setAccount(nil, for: try await phone.confirmEnrol())
            _ = try await phone.secondFactor()
            phone.ostiary.sfInput(PIN("271828"))
        }
        #expect(try await phone.stopped().ending == .cancelled)
        await phone.server.with { $0.onMessage = nil }
        _ = try await phone.ostiary.refresh()
        let state = try StoredState(decoding: phone.accounts.document)
        #expect(state.accounts.isEmpty && state.instances.isEmpty && state.outbox.isEmpty)
        #expect(await phone.server.with { $0.accounts.isEmpty })
        try await phone.enrol()
        #expect(phone.ostiary.accounts?.map(\.state) == [.active])
    }

    @Test("What happened before the first iteration is not lost, and each reader gets everything")
    func eventsAreBuffered() async throws {
        let phone = try await TestPhone.enrolled()
        let next = Ostiary(
            ports: Ports(keys: phone.keys, accounts: phone.accounts, transport: TestTransport(server: phone.server), clock: phone.clock).quick)
        next.startAppLogin()
        try await waiting(while: next.appLoginSession?.state != .waitingForUserInput)
        var first = next.events.makeAsyncIterator()
        var second = next.events.makeAsyncIterator()
        #expect(await first.next().map { if case .sessionUpdate(let session) = $0 { session.state == .starting } else { false } } == true)
        next.sfInput(PIN("271828"))
        while let event = await first.next() { if case .sessionLogin = event { break } }
        while let event = await second.next() { if case .sessionLogin = event { break } }
    }

    @Test("A code of a kind that this version does not know is told as that, scanned or tapped; one of a kind that it knows as unreadable")
    func unknownKinds() {
        for kind in UInt8.min...UInt8.max {
            let bytes = [protocolVersion, kind] + [UInt8](repeating: 0, count: 19)
            let error = [1, 2, 3].contains(kind) ? OstiaryError.linkUnreadable : .linkUnknownKind
            #expect(throws: error) { try Engine.link(scanned: bytes) }
            #expect(throws: error) { try Engine.link(Link.text(of: bytes, at: "https://login.example")) }
            #expect(throws: OstiaryError.linkUnreadable) { try Engine.link(scanned: [protocolVersion + 1] + bytes.dropFirst()) }
        }
    }

    @Test("The waiting calls throw what the others report")
    func asyncFace() async throws {
        let phone = try await TestPhone.enrolled()
        await #expect(throws: OstiaryError.linkUnreadable) { try await phone.ostiary.begin(with: [1, 2, 3]) }
        await phone.server.with { $0.mishaps.statuses[.l1] = [.sessionTaken] }
        let link = try await phone.server.makeLoginLink()
        await #expect(throws: OstiaryError.sessionTaken) { try await phone.ostiary.begin(with: link) }
        #expect(try await phone.finalFailure() == .sessionTaken)
        let session = try await phone.ostiary.begin(with: link)
        #expect(session.info.serverName == "Example")
        #expect(session.state != .starting)
        let (confirm, accounts) = try await phone.confirmLogin()
        phone.ostiary.setAccount(accounts.first, for: confirm)
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        let loggedIn = try await phone.ostiary.completion(of: session)
        #expect(loggedIn.isLoggedIn && loggedIn.id == session.id)
        try await phone.ostiary.end(loggedIn)
        await #expect(throws: OstiaryError.wrongOrder) { try await phone.ostiary.end(loggedIn) }
        await #expect(throws: OstiaryError.sessionOver) { try await phone.ostiary.completion(of: loggedIn) }
        let app = try await phone.ostiary.beginAppLogin()
        phone.ostiary.stop(app)
        await #expect(throws: OstiaryError.self) { try await phone.ostiary.completion(of: app) }
        let gone = Ostiary(ports: Ports(keys: MemoryKeyStore(), accounts: MemoryAccountStore(), transport: TestTransport(server: phone.server)))
        await #expect(throws: OstiaryError.noAccountsForServer) { try await gone.beginAppLogin() }
    }
}

extension TestServer {
    /// The person gives up while a message of this type is at the server.
    func cancel(_ ostiary: Ostiary, at type: MessageType) {
        onMessage = { message in
            guard message == type, let session = ostiary.sessions.last(where: { !$0.isOver }) else { return }
            ostiary.stop(session)
        }
    }
}
