import Authentication
import Database
import OstiaryProtocol

/// A session as columns: its state is a number and the columns that this state has.
enum SessionColumns {
    static let names = [
        "id", "server", "nonce_hash", "stream", "purpose", "preselected", "browser", "started_at", "page", "page_return_url", "state", "account",
        "binding", "not_me", "decision",
        "logged_in_at", "methods", "verified_at", "user_input", "deadline", "last_ping", "last_stamp", "reason", "ended_at",
        "failed_tries", "return_code_hash", "return_until", "asked", "phone_state", "phone_until",
    ]

    private enum State: UInt8 {
        case open, claimed, loggedIn, denied, expired, stopped, returning
    }

    /// Lists of the column `state`, for conditions.
    enum States {
        static let open = stateList(State.open)
        static let loggedIn = stateList(State.loggedIn)
        /// Somebody's, and not over.
        static let unfinished = stateList(State.claimed, .loggedIn, .returning)
        /// Ran out before anybody decided, or will.
        static let unused = stateList(State.open, .expired)
    }

    static func values(of session: Session) -> [SQLValue] {
        let head: [SQLValue] = [
            SQLValue(session.id), SQLValue(session.server), SQLValue(session.nonceHash), SQLValue(session.stream), SQLValue(session.purpose),
            SQLValue(session.preselected), .blob(session.browser.encoded), SQLValue(session.startedAt),
            SQLValue(session.page?.cookieHash), SQLValue(session.page?.returnURL),
        ]
        let ticket = session.returnTicket
        let tail = [
            SQLValue(ticket?.codeHash), SQLValue(ticket?.until), SQLValue(number: session.asked), SQLValue(session.report?.state),
            SQLValue(session.report?.until),
        ]
        return head + values(of: session.state) + tail
    }

    private static func values(of state: SessionState) -> [SQLValue] {
        switch state {
        case .open: row(.open)
        case .claimed(let claim): row(.claimed, account: claim.account, binding: claim.binding)
        case .denied(let denial): row(.denied, account: denial.account, notMe: denial.notMe, decision: denial.decision)
        case .expired: row(.expired)
        case .returning(let login, _):
            row(.returning, account: login.account, binding: login.binding, decision: login.decision, login: login)
        case .loggedIn(let login): row(.loggedIn, account: login.account, binding: login.binding, decision: login.decision, login: login)
        case .stopped(let login, let reason, let at):
            row(.stopped, account: login.account, binding: login.binding, decision: login.decision, login: login, reason: reason, endedAt: at)
        }
    }

    private static func row(
        _ state: State, account: AccountID? = nil, binding: Binding? = nil, notMe: Bool = false, decision: [UInt8]? = nil, login: Login? = nil,
        reason: StopReason? = nil, endedAt: Instant? = nil
    ) -> [SQLValue] {
        [
            SQLValue(state), SQLValue(account), SQLValue(binding), SQLValue(notMe), SQLValue(decision), SQLValue(login?.at), SQLValue(login?.methods),
            SQLValue(login?.verifiedAt), SQLValue(login?.userInput), SQLValue(login?.deadline), SQLValue(login?.lastPing), SQLValue(login?.lastStamp),
            SQLValue(reason), SQLValue(endedAt), SQLValue(login.map { UInt64($0.failedTries) }),
        ]
    }

    static func read(_ columns: inout ColumnReader) throws -> Session {
        var session = Session(
            id: try columns.identifier(), server: try columns.identifier(), nonceHash: try columns.optionalBlob(),
            stream: try columns.optionalIdentifier(), purpose: try columns.choice(), preselected: try columns.optionalIdentifier(),
            browser: try BrowserContext(decoding: try columns.blob()), startedAt: try columns.instant(), page: try page(&columns),
            state: try state(&columns))
        session.asked = try columns.number()
        let (phone, until) = (try columns.optionalChoice(PhoneState.self), try columns.optionalInstant())
        session.report = phone.map { PhoneReport(state: $0, until: until ?? Instant(0)) }
        return session
    }

    private static func page(_ columns: inout ColumnReader) throws -> SessionPage? {
        let (cookieHash, returnURL) = (try columns.optionalBlob(), try columns.optionalText())
        return try cookieHash.map { SessionPage(cookieHash: $0, returnURL: try columns.some(returnURL)) }
    }

    private static func ticket(_ columns: inout ColumnReader) throws -> ReturnTicket? {
        let (codeHash, until) = (try columns.optionalBlob(), try columns.optionalInstant())
        return try codeHash.map { ReturnTicket(codeHash: $0, until: try columns.some(until)) }
    }

    private static func state(_ columns: inout ColumnReader) throws -> SessionState {
        let state = try columns.choice(State.self)
        let account = try columns.optionalIdentifier(AccountKind.self)
        let binding = try columns.optionalChoice(Binding.self)
        let notMe = try columns.bool()
        let decision = try columns.optionalBlob()
        var login = LoginColumns(account: account, binding: binding, decision: decision)
        try login.read(&columns)
        let reason = try columns.optionalChoice(StopReason.self)
        let endedAt = try columns.optionalInstant()
        login.failedTries = try columns.optionalNumber() ?? 0
        let ticket = try ticket(&columns)
        login.returned = state == .returning ? nil : ticket
        switch state {
        case .open: return .open
        case .expired: return .expired
        case .claimed: return .claimed(.init(account: try columns.some(account), binding: try columns.some(binding)))
        case .denied: return .denied(.init(account: try columns.some(account), notMe: notMe, decision: try columns.some(decision)))
        case .returning: return .returning(try columns.some(login.value), try columns.some(ticket))
        case .loggedIn: return .loggedIn(try columns.some(login.value))
        case .stopped: return .stopped(try columns.some(login.value), try columns.some(reason), at: try columns.some(endedAt))
        }
    }
}

/// The columns of a login, which states without one leave empty.
private struct LoginColumns {
    let account: AccountID?
    let binding: Binding?
    let decision: [UInt8]?
    private var at: Instant?
    private var methods: Methods?
    private var verifiedAt: Instant?
    private var userInput: String?
    private var deadline: Instant?
    private var lastPing: Instant?
    private var lastStamp: Instant?
    var failedTries: UInt32 = 0
    var returned: ReturnTicket?

    init(account: AccountID?, binding: Binding?, decision: [UInt8]?) {
        self.account = account
        self.binding = binding
        self.decision = decision
    }

    mutating func read(_ columns: inout ColumnReader) throws {
        at = try columns.optionalInstant()
        methods = try columns.optionalChoice()
        verifiedAt = try columns.optionalInstant()
        userInput = try columns.optionalText()
        deadline = try columns.optionalInstant()
        lastPing = try columns.optionalInstant()
        lastStamp = try columns.optionalInstant()
    }

    var value: Login? {
        guard let account, let at, let methods, let verifiedAt, let decision, let deadline, let lastPing, let lastStamp else { return nil }
        return Login(
            account: account, binding: binding, at: at, methods: methods, verifiedAt: verifiedAt, decision: decision, userInput: userInput ?? "",
            failedTries: failedTries, deadline: deadline, lastPing: lastPing, lastStamp: lastStamp, returned: returned)
    }
}
