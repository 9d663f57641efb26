import Authentication
import Database
import OstiaryProtocol

/// A session as columns: its state is a number and the columns that this state has.
enum SessionColumns {
    /// The last two are for conditions only: they follow from the others.
    static let table = SQLTable(
        "session", key: ["id"],
        columns: [
            "server", "nonce_hash", "stream", "purpose", "preselected", "browser", "started_at", "page", "page_return_url", "state", "account",
            "binding", "not_me", "decision", "logged_in_at", "methods", "verified_at", "user_input", "deadline", "last_ping", "last_stamp", "reason",
            "ended_at", "failed_tries", "token_key", "offline", "return_code_hash", "return_until", "asked", "phone_state", "phone_until", "demand",
            "client", "open_for", "wrong_numbers", "codes_tried", "runs_out_at", "last_moment",
        ])

    private enum State: UInt8 {
        case open, claimed, loggedIn, denied, expired, stopped, returning
    }

    /// Lists of the column `state`, for conditions.
    enum States {
        static let open = stateList(State.open)
        static let loggedIn = stateList(State.loggedIn)
        /// Somebody's, and not over.
        static let unfinished = stateList(State.claimed, .loggedIn, .returning)
        /// A person said no, or yes to a login that is over since.
        static let refused = stateList(State.denied, .stopped)
        /// A phone may still decide it.
        static let undecided = stateList(State.open, .claimed)
        /// Ran out before anybody decided, or will.
        static let unused = stateList(State.open, .expired)
    }

    static func values(of session: Session) -> [SQLValue] {
        let head: [SQLValue] = [
            SQLValue(session.id), SQLValue(session.server), SQLValue(session.nonceHash), SQLValue(session.stream), SQLValue(session.purpose),
            SQLValue(session.request.account), LoginRequestColumns.browser(session.request), SQLValue(session.startedAt),
            SQLValue(session.page?.cookieHash), SQLValue(session.page?.returnURL),
        ]
        let ticket = session.returnTicket
        let tail = [
            SQLValue(ticket?.codeHash), SQLValue(ticket?.until), SQLValue(number: session.asked), SQLValue(session.report?.state),
            SQLValue(session.report?.until), LoginRequestColumns.demand(session.request), LoginRequestColumns.client(session.request),
            SQLValue(session.push?.openFor ?? session.codeLife), SQLValue(session.push.map { UInt64($0.wrongNumbers) }),
            SQLValue(number: session.codesTried), SQLValue(session.runsOutAt), SQLValue(session.lastMoment),
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
            SQLValue(login?.tokenKey?.thumbprint), SQLValue(login?.isOffline ?? false),
        ]
    }

    static func read(_ row: SQLRow) throws -> Session {
        var session = Session(
            id: try row.identifier("id"), server: try row.identifier("server"), nonceHash: try row.optionalBlob("nonce_hash"),
            stream: try row.optionalIdentifier("stream"), purpose: try row.choice("purpose"),
            request: try LoginRequestColumns.read(row, account: "preselected"), startedAt: try row.instant("started_at"), page: try page(row),
            push: try push(row), codeLife: try codeLife(row), codesTried: try row.number("codes_tried"), state: try state(row))
        session.asked = try row.number("asked")
        session.report = try row.optionalChoice("phone_state", as: PhoneState.self).map { state in
            PhoneReport(state: state, until: try row.optionalInstant("phone_until") ?? Instant(0))
        }
        return session
    }

    private static func page(_ row: SQLRow) throws -> SessionPage? {
        try row.optionalBlob("page").map { SessionPage(cookieHash: $0, returnURL: try row.text("page_return_url")) }
    }

    /// What is open for a time of its own and counts numbers is pushed.
    private static func push(_ row: SQLRow) throws -> SessionPush? {
        guard let seconds = try row.optionalUnsigned("open_for"), let wrong = try row.optionalNumber("wrong_numbers", as: UInt8.self)
        else { return nil }
        return SessionPush(openFor: seconds, wrongNumbers: wrong)
    }

    /// What is, and counts none, is about a device's code.
    private static func codeLife(_ row: SQLRow) throws -> UInt64? {
        try row.optionalInteger("wrong_numbers") == nil ? try row.optionalUnsigned("open_for") : nil
    }

    private static func state(_ row: SQLRow) throws -> SessionState {
        switch try row.choice("state", as: State.self) {
        case .open: .open
        case .expired: .expired
        case .claimed: .claimed(.init(account: try row.identifier("account"), binding: try row.choice("binding")))
        case .denied: .denied(.init(account: try row.identifier("account"), notMe: try row.bool("not_me"), decision: try row.blob("decision")))
        case .returning: .returning(try login(row), ReturnTicket(codeHash: try row.blob("return_code_hash"), until: try row.instant("return_until")))
        case .loggedIn: .loggedIn(try login(row, returned: ticket(row)))
        case .stopped: .stopped(try login(row, returned: ticket(row)), try row.choice("reason"), at: try row.instant("ended_at"))
        }
    }

    private static func login(_ row: SQLRow, returned: ReturnTicket? = nil) throws -> Login {
        Login(
            account: try row.identifier("account"), binding: try row.optionalChoice("binding"), isOffline: try row.bool("offline"),
            at: try row.instant("logged_in_at"), methods: try row.choice("methods"), verifiedAt: try row.instant("verified_at"),
            decision: try row.blob("decision"), userInput: try row.optionalText("user_input") ?? "",
            failedTries: try row.optionalNumber("failed_tries") ?? 0, tokenKey: try tokenKey(row), deadline: try row.instant("deadline"),
            lastPing: try row.instant("last_ping"), lastStamp: try row.instant("last_stamp"), returned: returned)
    }

    private static func tokenKey(_ row: SQLRow) throws -> TokenKey? {
        guard let thumbprint = try row.optionalBlob("token_key") else { return nil }
        guard let key = TokenKey(thumbprint: thumbprint) else { throw SQLError.outOfRange("token_key") }
        return key
    }

    private static func ticket(_ row: SQLRow) throws -> ReturnTicket? {
        try row.optionalBlob("return_code_hash").map { ReturnTicket(codeHash: $0, until: try row.instant("return_until")) }
    }
}
