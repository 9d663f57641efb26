import Foundation
import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting
import Testing

/// A phone with its home in memory, and the events it told, one after the other.
final class TestPhone {
    let server: TestServer
    let clock: TestClock
    let accounts: MemoryAccountStore
    let keys: MemoryKeyStore
    let history: MemoryAccountStore
    let cable = Cable()
    let ostiary: Ostiary
    private var events: AsyncStream<OstiaryEvent>.AsyncIterator

    /// - Parameter stretching: as dear as it is shipped only where that is what a test is about.
    init(
        _ server: TestServer, accounts: MemoryAccountStore = MemoryAccountStore(), keys: MemoryKeyStore = MemoryKeyStore(),
        history: MemoryAccountStore = MemoryAccountStore(), log: Log? = nil, remembersAll: Bool = false, stretching: PINStretching = .quick,
        _ configure: (inout Ostiary.Configuration) -> Void = { _ in }
    ) {
        self.server = server
        clock = server.clock
        self.accounts = accounts
        self.keys = keys
        self.history = history
        var configuration = Ostiary.Configuration()
        configuration.hidesVisualHash = true
        configuration.automaticallySelectSingleAccountWhenSecondFactorNeeded = false
        configuration.deviceName = "test phone"
        configure(&configuration)
        var ports = Ports(
            keys: keys, accounts: accounts, transport: TestTransport(server: server, cable: cable), clock: server.clock, biometrics: keys.biometrics)
        ports.history = history
        ports.log = log
        ports.remembersAllSessions = remembersAll
        ports.stretching = stretching
        ostiary = Ostiary(configuration: configuration, ports: ports)
        events = ostiary.events.makeAsyncIterator()
    }

    /// A phone whose SDK was made elsewhere.
    init(_ server: TestServer, accounts: MemoryAccountStore, keys: MemoryKeyStore, _ ostiary: Ostiary) {
        self.server = server
        clock = server.clock
        self.accounts = accounts
        self.keys = keys
        history = MemoryAccountStore()
        self.ostiary = ostiary
        events = ostiary.events.makeAsyncIterator()
    }

    /// A server with a phone that has one active account, and the PIN 271828.
    static func enrolled(
        remembersAll: Bool = false, _ configure: (inout Ostiary.Configuration) -> Void = { _ in }
    ) async throws -> TestPhone {
        let server = try TestServer(clock: TestClock())
        let phone = TestPhone(server, remembersAll: remembersAll, configure)
        try await phone.enrol()
        return phone
    }

    /// As far as the code, which the server waits for.
    func enrolUpToCode(pin: String = "271828") async throws -> String {
        ostiary.start(with: try await server.makeEnrolLink())
        ostiary.setAccount(nil, for: try await confirmEnrol())
        _ = try await secondFactor()
        ostiary.sfInput(PIN(pin))
        return try await code()
    }

    /// Through the whole enrolment; the session that it logs in is over afterwards, and nothing is remembered.
    func enrol(pin: String = "271828") async throws {
        _ = try await enrolUpToCode(pin: pin)
        await server.confirmAccounts()
        let loggedIn = try await login()
        try await ostiary.end(loggedIn)
        _ = try await stopped()
        await server.with { server in server.caches = [:] }
    }

    /// The next event for which `pick` finds something; others are skipped.
    func until<Value>(_ pick: (OstiaryEvent) -> Value?) async throws -> Value { try await until(orBefore: { _ in false }, pick) }

    /// The same, but an event for which `isOtherEnd` holds is told at once: after it nothing more would come.
    private func until<Value>(orBefore isOtherEnd: (OstiaryEvent) -> Bool, _ pick: (OstiaryEvent) -> Value?) async throws -> Value {
        var skipped: [OstiaryEvent] = []
        while let event = await events.next() {
            if let value = pick(event) { return value }
            skipped.append(event)
            if isOtherEnd(event) { break }
        }
        throw OtherEvents(events: skipped)
    }

    /// The events up to and with the first for which `isLast` holds.
    func all(until isLast: (OstiaryEvent) -> Bool) async throws -> [OstiaryEvent] {
        var all: [OstiaryEvent] = []
        while let event = await events.next() {
            all.append(event)
            if isLast(event) { return all }
        }
        throw OtherEvents(events: all)
    }

    func confirmLogin() async throws -> (Session, [Account]) {
        try await until(orBefore: \.isEnd) { if case .confirmLogin(let session, let accounts) = $0 { (session, accounts) } else { nil } }
    }

    func confirmEnrol() async throws -> Session {
        try await until(orBefore: \.isEnd) { if case .confirmEnrol(let session, _, _) = $0 { session } else { nil } }
    }

    /// The code that is to be typed into the enrolling browser.
    func code() async throws -> String {
        try await until(orBefore: \.isEnd) { if case .enrolConfirmation(_, let code) = $0 { code } else { nil } }
    }

    func secondFactor() async throws -> SecondFactor {
        try await until(orBefore: \.isEnd) { event in
            switch event {
            case .secondFactorStarted(let factor), .secondFactorUpdated(let factor): factor
            default: nil
            }
        }
    }

    func login() async throws -> Session {
        try await until(orBefore: \.isEnd) { if case .sessionLogin(let session) = $0 { session } else { nil } }
    }

    func stopped() async throws -> Session {
        try await until { if case .sessionStop(let session) = $0 { session } else { nil } }
    }

    func failure() async throws -> (OstiaryError, Session?) {
        try await until(orBefore: \.isEndWithoutError) { if case .error(let error, let session) = $0 { (error, session) } else { nil } }
    }

    /// The error that ended a session.
    func finalFailure() async throws -> OstiaryError {
        try await until(orBefore: \.isEnd) { if case .error(let error, let session?) = $0, session.state == .error { error } else { nil } }
    }

    /// Begins a login by code and confirms it with the first account.
    func beginLogin() async throws -> Session {
        ostiary.start(with: try await server.makeLoginLink())
        let (session, accounts) = try await confirmLogin()
        ostiary.setAccount(accounts.first, for: session)
        return session
    }

    /// As far as the question for the second factor of a login.
    func atSecondFactor() async throws -> SecondFactor {
        _ = try await beginLogin()
        return try await secondFactor()
    }

    /// A login by code, with the PIN that an enrolled phone has.
    @discardableResult
    func logInByCode() async throws -> Session {
        _ = try await atSecondFactor()
        ostiary.sfInput(PIN("271828"))
        return try await login()
    }

    /// Adds biometrics with the PIN that an enrolled phone has.
    func addBiometrics(pin: String = "271828") async throws {
        ostiary.addBiometrics()
        _ = try await secondFactor()
        ostiary.sfInput(.simulated(.confirm))
        _ = try await secondFactor()
        ostiary.sfInput(PIN(pin))
        let done = try await secondFactor()
        try #require(done.stopped && done.secondFactorInfo.result == .success)
    }

    /// Logs in by what `input` does, as often as it takes; the results on the way.
    func logIn(_ inputs: () -> Void...) async throws -> [SecondFactorInfo.Result?] {
        _ = try await atSecondFactor()
        var results: [SecondFactorInfo.Result?] = []
        for input in inputs {
            input()
            results.append(try await secondFactor().secondFactorInfo.result)
        }
        try await ostiary.end(try await login())
        _ = try await stopped()
        return results
    }

    /// The account of an enrolled phone.
    var account: AccountID {
        get throws {
            let shown = try #require(ostiary.accounts?.first)
            return try #require(AccountID(text: shown.id.rawValue))
        }
    }
}

/// What the phone told instead of what a test waited for.
struct OtherEvents: Error, CustomStringConvertible {
    let events: [OstiaryEvent]

    var description: String { "the phone told something else: \(events)" }
}

extension OstiaryEvent {
    /// Whether nothing follows by itself: a login, a failed session, a question that waits for an answer, a browser that is awaited.
    fileprivate var isEnd: Bool {
        switch self {
        case .confirmLogin, .confirmEnrol, .secondFactorStarted, .sessionLogin: true
        case .secondFactorUpdated(let factor): factor.secondFactorInfo.retry && !factor.stopped
        case .sessionUpdate(let session): session.isReturning
        case .error(_, let session?): session.state == .error
        default: false
        }
    }

    /// The same for what was to be refused: then no account goes.
    fileprivate var isEndWithoutError: Bool { if case .accountDeleted = self { true } else { isEnd } }
}

extension Ports {
    /// The same, for a process that opens what a `TestPhone` enrolled.
    var quick: Ports {
        var quick = self
        quick.stretching = .quick
        return quick
    }
}

extension PIN {
    convenience init(_ digits: String) {
        self.init()
        for digit in digits.utf8 { append(digit: digit - 48) }
    }
}
