import Testing

@testable import OstiaryMobile
@testable import OstiaryPhone

/// An SDK in the hands of a test: what it does, and what the events say.
struct FixturePhone: Sendable {
    let ostiary: Ostiary
    let log: EventLog

    init(_ ostiary: Ostiary) {
        self.ostiary = ostiary
        log = EventLog(ostiary)
    }

    /// How a flow ended.
    enum End: Sendable, Equatable {
        case loggedIn(Session)
        /// The person has said yes, and the browser of the login page has not come back yet.
        case returning(Session)
        case stopped(Session.Ending?)
        case failed(OstiaryError)

        var session: Session? {
            switch self {
            case .loggedIn(let session), .returning(let session): session
            case .stopped, .failed: nil
            }
        }
    }

    /// Enrols, types the code into the page by `confirm`, and waits for the login.
    func enrol(_ code: [UInt8], confirm: (String) async throws -> Void) async throws -> End {
        ostiary.start(with: code)
        let asked = try await until { Self.question($0) ?? Self.end($0).map(Question.over) }
        guard case .confirm(let session, _) = asked else { return try #require(asked.end) }
        return try Self.heard(try await goOn(with: session) { _, shown in try await confirm(shown) })
    }

    /// Goes on with an enrolment that asks whether to: sets a first PIN, and shows the code that is typed into the browser.
    /// - Parameter confirm: types it, for the account that waits for it.
    /// - Returns: how it ended; nil where nothing is heard of it any more.
    @discardableResult
    func goOn(with session: Session, confirm: (Account?, String) async throws -> Void) async rethrows -> End? {
        let id = session.id
        ostiary.setAccount(nil, for: session)
        var entered = 0
        while let step = await log.next(within: .aHang, { Self.question($0, of: id, until: Self.end) }) {
            switch step {
            case .pin(let info):
                guard info.result != .success else { continue }
                // Where a server could not be asked it is asked for again.
                entered += 1
                if entered <= 3 { enter(Person.pin) } else { ostiary.sfCancel() }
            case .code(let account, let code): try await confirm(account, code)
            case .over(let end): return end
            case .confirm: continue
            }
        }
        return nil
    }

    /// Scans a login code and answers with these PINs, one after the other; cancels when there is none left.
    func logIn(_ code: [UInt8], pins: [String] = [Person.pin]) async throws -> (end: End, answers: [SecondFactorInfo]) {
        var left = pins[...]
        return try await logIn(code) { _ in left.popFirst() }
    }

    /// - Parameter pin: the next one, after what came of the last; nil cancels.
    func logIn(_ code: [UInt8], entering pin: (SecondFactorInfo) -> String?) async throws -> (end: End, answers: [SecondFactorInfo]) {
        try await follow(.bytes(code), entering: pin)
    }

    /// Taps the link behind the button of a login page, or scans its code, and leaves what follows to its browser.
    func accept(_ page: FlowSource, entering pin: (SecondFactorInfo) -> String?) async throws -> (end: End, answers: [SecondFactorInfo]) {
        try await follow(page, until: { Self.returning($0) ?? Self.end($0) }, entering: pin)
    }

    func logInToApp(pins: [String] = [Person.pin]) async throws -> (end: End, answers: [SecondFactorInfo]) {
        var left = pins[...]
        return try await logInToApp { _ in left.popFirst() }
    }

    func logInToApp(entering pin: (SecondFactorInfo) -> String?) async throws -> (end: End, answers: [SecondFactorInfo]) {
        try await follow(.app, entering: pin)
    }

    /// Hears nothing but what is about this login: what becomes meanwhile of those of before, which end at other nodes for example, is no end of it.
    private func follow(
        _ source: FlowSource, until ending: @escaping @Sendable (OstiaryEvent) -> End? = { FixturePhone.end($0) },
        entering pin: (SecondFactorInfo) -> String?
    ) async throws -> (end: End, answers: [SecondFactorInfo]) {
        let id: Session.ID
        do throws(OstiaryError) { id = try await ostiary.core().engine.begin(source) } catch { return (.failed(error), []) }
        var answers: [SecondFactorInfo] = []
        while true {
            let asked = try await until { Self.question($0, of: id, until: ending) }
            switch asked {
            case .confirm(let session, let accounts): ostiary.setAccount(accounts.first, for: session)
            case .pin(let info):
                if info.result != nil { answers.append(info) }
                guard info.result != .success else { continue }
                if let digits = pin(info) { enter(digits) } else { ostiary.sfCancel() }
            case .over(let end): return (end, answers)
            case .code: continue
            }
        }
    }

    func enter(_ digits: String) {
        let pin = PIN()
        for digit in digits.utf8 { pin.append(digit: digit - 48) }
        ostiary.sfInput(pin)
    }

    /// The next event that means something to the test.
    func until<Value: Sendable>(_ choose: @Sendable (OstiaryEvent) -> Value?) async throws -> Value {
        try Self.heard(await log.next(within: .aHang, choose))
    }

    private static func heard<Value>(_ value: Value?) throws -> Value {
        // Who is cancelled was not left without it.
        if value == nil { try Task.checkCancellation() }
        return try #require(value, "the event did not come")
    }

    private enum Question: Sendable {
        case confirm(Session, [Account])
        /// Also what came of the last input.
        case pin(SecondFactorInfo)
        /// For the account that waits for it.
        case code(Account?, String)
        case over(End)

        var end: End? { if case .over(let end) = self { end } else { nil } }
    }

    private static func question(_ event: OstiaryEvent) -> Question? {
        switch event {
        case .confirmLogin(let session, let accounts): .confirm(session, accounts)
        case .confirmEnrol(let session, _, _): .confirm(session, [])
        case .secondFactorStarted(let secondFactor): .pin(secondFactor.secondFactorInfo)
        case .secondFactorUpdated(let secondFactor) where !secondFactor.stopped || secondFactor.secondFactorInfo.result == .success:
            .pin(secondFactor.secondFactorInfo)
        case .enrolConfirmation(let session, let code): .code(session.account, code)
        default: nil
        }
    }

    /// What this session asks, or how it ended; nil for what is another's.
    private static func question(_ event: OstiaryEvent, of id: Session.ID, until ending: (OstiaryEvent) -> End?) -> Question? {
        guard session(of: event) == id else { return nil }
        return question(event) ?? ending(event).map(Question.over)
    }

    /// Whose news it is; nil for what is no session's.
    static func session(of event: OstiaryEvent) -> Session.ID? {
        switch event {
        case .otpAvailable(let session, _), .confirmLogin(let session, _), .confirmEnrol(let session, _, _), .enrolConfirmation(let session, _),
            .sessionLogin(let session), .sessionStop(let session), .sessionUpdate(let session), .token(_, let session):
            session.id
        case .secondFactorStarted(let factor), .secondFactorUpdated(let factor): factor.session?.id
        case .error(_, let session): session?.id
        case .accountAdded, .accountUpdated, .accountDeleted, .newDevice, .pinReplacedByBiometric: nil
        }
    }

    private static func returning(_ event: OstiaryEvent) -> End? {
        if case .sessionUpdate(let session) = event, session.isReturning { .returning(session) } else { nil }
    }

    static func end(_ event: OstiaryEvent) -> End? {
        switch event {
        case .sessionLogin(let session): .loggedIn(session)
        case .sessionStop(let session): .stopped(session.ending)
        case .error(let error, let session) where session?.isOver ?? true: .failed(error)
        default: nil
        }
    }
}
