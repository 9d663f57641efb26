import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryMobile

/// The process dies between its yes and the server's answer, or no answer comes: the next process finds out whether somebody is logged in.
@Suite("Logins whose answers nobody heard", .timeLimit(.minutes(10)))
struct UnheardLoginTests {
    /// What a phone had stored when its process died.
    private final class Remains: Sendable {
        private let content = Mutex<MemoryAccountStore?>(nil)

        var accounts: MemoryAccountStore {
            get throws { try #require(content.withLock { $0 }) }
        }

        func keep(_ accounts: MemoryAccountStore) {
            content.withLock { content in if content == nil { content = MemoryAccountStore(copying: accounts) } }
        }
    }

    private enum Kind: Sendable {
        case byCode, toApp
    }

    /// A phone dies when its yes has arrived at the server.
    /// - Returns: the next process of the same phone, and the name of the session.
    private func killed(_ phone: TestPhone, _ kind: Kind = .byCode, remembersAll: Bool = false) async throws -> (TestPhone, SessionID) {
        let (remains, accounts, cable) = (Remains(), phone.accounts, phone.cable)
        await phone.server.with { server in
            server.onMessage = { type in
                guard type == .l5 else { return }
                remains.keep(accounts)
                cable.cut()
            }
        }
        switch kind {
        case .byCode: _ = try await phone.beginLogin()
        case .toApp: phone.ostiary.startAppLogin()
        }
        _ = try await phone.secondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        // What the dead process would have heard.
        _ = try await phone.until { event -> Session? in
            switch event {
            case .sessionLogin(let session): session
            case .sessionUpdate(let session): session.isReturning ? session : nil
            default: nil
            }
        }
        // It is dead: what it would go on asking without a connection moves the clock of all.
        await (try phone.ostiary.core().engine).shutDown()
        let sid = try #require(try state(remains.accounts).sessions.first).session
        await phone.server.with { server in
            server.onMessage = nil
            server.received = []
        }
        return (TestPhone(phone.server, accounts: try remains.accounts, keys: phone.keys, remembersAll: remembersAll), sid)
    }

    private func state(_ accounts: MemoryAccountStore) throws -> StoredState { try StoredState(decoding: accounts.document) }

    private func stop(_ sid: SessionID, _ phone: TestPhone) async -> StopReason? { await phone.server.with { $0.sessions[sid]?.stop } }

    private func count(_ type: MessageType, _ phone: TestPhone) async -> Int {
        await phone.server.with { server in server.received.filter { $0 == type }.count }
    }

    @Test(
        "A login whose process died before it heard the answer is found out, told and listed by the next process, which can end it",
        arguments: [0, 300], [false, true])
    func listed(_ pingTime: UInt32, _ remembersAll: Bool) async throws {
        let phone = try await TestPhone.enrolled(remembersAll: remembersAll)
        await phone.server.with { $0.settings.pingTime = pingTime }
        let (next, sid) = try await killed(phone, remembersAll: remembersAll)
        let stored = try #require(try state(next.accounts).sessions.first)
        #expect(stored.unansweredSince != nil && stored.isEnding == nil)
        let listed = try await next.ostiary.refresh()
        #expect(listed.map(\.id) == [stored.id] && listed.map(\.isLoggedIn) == [true] && listed.map(\.pingTime) == [Int(pingTime)])
        let told = try await next.login()
        #expect(told.id == stored.id && told.username == "ada" && told.info.serviceName == "Shop")
        #expect(next.ostiary.history.map(\.status) == [pingTime > 0 ? .loggedIn : .loggedInOneShot])
        #expect(await count(.ping, next) == 1)
        #expect(await count(.l5, next) == 0)
        let remembered = try state(next.accounts).sessions
        #expect(remembered.map(\.session) == (pingTime > 0 || remembersAll ? [sid] : []), "as of any login of such a phone")
        #expect(remembered.allSatisfy { $0.unansweredSince == nil && $0.pingTime == pingTime })
        try await next.ostiary.end(told)
        #expect(await stop(sid, next) == .user)
        #expect(try state(next.accounts).sessions.isEmpty)
    }

    @Test("A yes that never arrived logs nobody in: nothing is listed, and it is forgotten when no copy of it can count any more, not before")
    func neverArrived() async throws {
        let phone = try await TestPhone.enrolled()
        let (next, sid) = try await killed(phone)
        await next.server.with { $0.sessions[sid]?.outcome = nil }
        let since = try #require(try state(next.accounts).sessions.first?.unansweredSince)
        #expect(try await next.ostiary.refresh().isEmpty)
        try await waiting(while: try !state(next.accounts).sessions.isEmpty)
        #expect(next.clock.wall > since + 600, "the pauses between the questions, which pass at once here")
        #expect(await count(.ping, next) > 2)
        #expect(await count(.stop, next) == 0)
        #expect(next.ostiary.sessions.isEmpty && next.ostiary.history.isEmpty)
    }

    @Test("A yes of a node whose clock had leapt is found out when the clock is right again, and not ten days later")
    func ofLeapingNode() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.clockAhead = 864_000 }
        let (next, sid) = try await killed(phone)
        #expect(try #require(try state(next.accounts).sessions.first?.unansweredSince) > phone.clock.wall + 800_000)
        // What that clock wrote is brought back, as the servers do.
        await phone.server.with { server in
            server.mishaps.clockAhead = 0
            server.sessions[sid]?.lastStamp = server.now
        }
        phone.clock.advance(5)
        #expect(try await next.ostiary.refresh().map(\.isLoggedIn) == [true])
        try await next.ostiary.end(try await next.login())
        #expect(await stop(sid, next) == .user)
    }

    @Test("A yes that the server takes later is found out by the process that asked too early")
    func arrivesLate() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled())
        // The first of them is for the refresh. So many that it has answered before the pauses of all others, which pass at once here, are over.
        await next.server.with { $0.mishaps.statuses[.ping] = Array(repeating: .sessionUnknown, count: 9) }
        #expect(try await next.ostiary.refresh().isEmpty)
        #expect(try await next.login().isLoggedIn)
        #expect(await count(.ping, next) == 10)
        #expect(try state(next.accounts).sessions.map(\.session) == [sid])
    }

    @Test("While the server cannot be reached nothing is listed and nothing forgotten, and the names are told of what is not known")
    func unreachable() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled(remembersAll: true), remembersAll: true)
        await next.server.with { $0.mishaps.isDown = true }
        next.clock.advance(20 * 60)
        #expect(try await next.ostiary.refresh().isEmpty)
        let undecided = try await next.ostiary.undecidedLogins()
        #expect(undecided.map(\.name) == ["Shop"] && undecided.map(\.username) == ["ada"] && undecided.map(\.isGivenUp) == [false])
        #expect(try undecided.map(\.id) == state(next.accounts).sessions.map(\.id))
        await next.server.with { $0.mishaps.isDown = false }
        #expect(try await next.ostiary.refresh().map(\.isLoggedIn) == [true], "however late it is asked")
        #expect(try await next.ostiary.undecidedLogins().isEmpty)
        #expect(try state(next.accounts).sessions.map(\.session) == [sid])
    }

    @Test("Whoever ends all ends it too, without a list; what its server could not be told is told by a later process")
    func endedUnheard() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled(remembersAll: true), remembersAll: true)
        let later = TestPhone(next.server, accounts: next.accounts, keys: next.keys, remembersAll: true)
        await next.server.with { $0.mishaps.isDown = true }
        let failed = try await next.ostiary.end { _ in true }
        #expect(failed.map(\.failure) == [.serverConnection])
        #expect(try state(next.accounts).sessions.map(\.isEnding) == [true])
        let undecided = try await next.ostiary.undecidedLogins()
        #expect(undecided.map(\.id) == failed.map(\.id) && undecided.map(\.isGivenUp) == [true], "it was not found out whether it counts")
        await next.server.with { $0.mishaps.isDown = false }
        let ended = try await later.ostiary.end { $0 == failed.first?.id }
        #expect(ended.count == 1 && ended.allSatisfy { $0.failure == nil })
        #expect(await stop(sid, later) == .user)
        #expect(await count(.ping, later) == 0)
        let told = try await later.stopped()
        #expect(told.id == failed.first?.id && told.ending == .user && told.isLoggedOut)
        #expect(later.ostiary.history.map(\.status) == [.loggedOut])
        #expect(try state(next.accounts).sessions.isEmpty)
    }

    @Test("A Stop that comes before the yes is brought again, until the login that it was for is ended or cannot be any more")
    func stopBeforeYes() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled(remembersAll: true), remembersAll: true)
        await next.server.with { $0.mishaps.statuses[.stop] = [.sessionUnknown, .sessionUnknown] }
        let ended = try await next.ostiary.end { _ in true }
        #expect(ended.map(\.failure) == [nil])
        try await waiting(while: await stop(sid, next) == nil)
        try await waiting(while: try !state(next.accounts).sessions.isEmpty)
        #expect(await count(.stop, next) == 3)
        #expect(await count(.ping, next) == 0)
    }

    @Test("An AppLogin of an app ends with its process: the next one ends it at its server, and does not show it as its own")
    func appLogin() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled(), .toApp)
        #expect(try await next.ostiary.refresh().isEmpty && next.ostiary.appLoginSession == nil)
        #expect(await stop(sid, next) == .user)
        #expect(await count(.ping, next) == 0)
        #expect(try state(next.accounts).sessions.isEmpty)
        #expect(try await next.logInToApp().webNonce != nil)
    }

    @Test("A phone that remembers all sessions lists it, without a webNonce")
    func appLoginOfTerminal() async throws {
        let (next, sid) = try await killed(try await TestPhone.enrolled(remembersAll: true), .toApp, remembersAll: true)
        let listed = try await next.ostiary.refresh()
        #expect(listed.map(\.isLoggedIn) == [true] && listed.map(\.isAppLogin) == [true] && listed.map(\.webNonce) == [nil])
        #expect(await stop(sid, next) == nil)
    }

    @Test("A page login whose browser is still on its way is awaited by the next process")
    func returning() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.returnURL = "https://shop.example/welcome" }
        let (next, _) = try await killed(phone)
        let listed = try await next.ostiary.refresh()
        #expect(listed.map(\.isReturning) == [true] && listed.map(\.isLoggedIn) == [false] && next.ostiary.history.isEmpty)
        #expect(try state(next.accounts).sessions.map(\.isReturning) == [true])
    }

    @Test(
        "A login that is over before anybody heard of it is told with its reason, and its person warned of another's browser",
        arguments: [true, false])
    func overMeanwhile(_ isOtherBrowser: Bool) async throws {
        let (next, _) = try await killed(try await TestPhone.enrolled())
        await next.server.stopSessions(isOtherBrowser ? .otherBrowser : .timeout)
        _ = try await next.ostiary.refresh()
        let events = try await next.all { if case .sessionStop = $0 { true } else { false } }
        #expect(events.contains { if case .error(.loginInOtherBrowser, _) = $0 { true } else { false } } == isOtherBrowser)
        #expect(!events.contains { if case .sessionLogin = $0 { true } else { false } })
        #expect(next.ostiary.sessions.map(\.ending) == [isOtherBrowser ? .otherBrowser : .timeout])
        #expect(next.ostiary.history.map(\.status) == [isOtherBrowser ? .aborted : .loggedOut])
        #expect(try state(next.accounts).sessions.isEmpty)
    }

    @Test("A login that failed because no answer came is ended by a later process, if this one cannot")
    func failedLogin() async throws {
        let phone = try await TestPhone.enrolled()
        let cable = phone.cable
        _ = try await phone.atSecondFactor()
        await phone.server.with { server in
            server.mishaps.lostAnswers[.l5] = 1
            server.onMessage = { if $0 == .l5 { cable.cut() } }
        }
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .serverConnection)
        let stored = try #require(try state(phone.accounts).sessions.first)
        #expect(stored.isEnding == true && stored.unansweredSince != nil)
        let next = TestPhone(phone.server, accounts: phone.accounts, keys: phone.keys)
        #expect(try await next.ostiary.refresh().allSatisfy { !$0.isLoggedIn })
        #expect(await stop(stored.session, next) == .user)
        #expect(try state(next.accounts).sessions.isEmpty)
    }

    @Test("A process that is let go with its yes on the way ends nothing: the next one lists the login")
    func letGo() async throws {
        let enrolled = try await TestPhone.enrolled()
        await enrolled.server.with { $0.settings.secondFactorNeed = .none }
        // The wait before the yes, and the one after its answer.
        let ambush = CancellationTests.Ambush(at: 1)
        let transport = CancellationTests.AmbushTransport(inner: TestTransport(server: enrolled.server), ambush: ambush)
        let ports = Ports(keys: enrolled.keys, accounts: enrolled.accounts, transport: transport, clock: enrolled.clock)
        var configuration = Ostiary.Configuration()
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        let ostiary = Ostiary(configuration: configuration, ports: ports)
        let phone = TestPhone(enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys, ostiary)
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        let engine = try ostiary.core().engine
        ambush.arm { await engine.shutDown() }
        phone.ostiary.setAccount(accounts.first, for: session)
        #expect(try await phone.stopped().ending == .cancelled)
        #expect(try state(phone.accounts).sessions.map(\.isEnding) == [nil])
        let next = TestPhone(enrolled.server, accounts: enrolled.accounts, keys: enrolled.keys)
        #expect(try await next.ostiary.refresh().map(\.id) == [session.id])
        #expect(try await next.login().isLoggedIn)
    }

    @Test("A refusal leaves nothing to find out, and neither does a login that was heard of")
    func nothingLeft() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.statuses[.l5] = [.accountBlocked] }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .accountBlocked)
        #expect(try state(phone.accounts).sessions.isEmpty)
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        _ = try await phone.login()
        #expect(try state(phone.accounts).sessions.map(\.unansweredSince) == [nil])
        // A program of before reads the document of a login that was heard of as it always did.
        #expect(!String(decoding: phone.accounts.document ?? [], as: UTF8.self).contains("unansweredSince"))
    }

    @Test("That a session is over may mean the login of a yes that was sent before: its end is told to the server all the same")
    func saidToBeOver() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.mishaps.statuses[.l5] = [.sessionOver] }
        _ = try await phone.atSecondFactor()
        phone.ostiary.sfInput(PIN("271828"))
        #expect(try await phone.finalFailure() == .sessionOver)
        #expect(try state(phone.accounts).sessions.map(\.isEnding) == [true])
    }

    @Test("A yes that cannot be written down is not sent")
    func cannotBeWritten() async throws {
        let phone = try await TestPhone.enrolled()
        await phone.server.with { $0.settings.secondFactorNeed = .none }
        phone.ostiary.start(with: try await phone.server.makeLoginLink())
        let (session, accounts) = try await phone.confirmLogin()
        phone.accounts.refusals = 1
        phone.ostiary.setAccount(accounts.first, for: session)
        #expect(try await phone.finalFailure() == .storeUnavailable)
        #expect(await count(.l5, phone) == 0)
    }
}
