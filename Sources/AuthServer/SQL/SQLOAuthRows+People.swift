import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// Whom grants are of: answered from accounts and sessions as they are now.
extension SQLOAuthRows {
    private static let person = """
        SELECT \(PersonColumns.list) FROM account a \(PersonColumns.joins) WHERE a.id = $1 AND a.server = $2 AND \(PersonColumns.usable)
        """

    func person(of account: AccountID, at server: ServerID) throws -> Person? {
        try connection.one(Self.person, [SQLValue(account), SQLValue(server)]).map { try PersonColumns.read($0, account) }
    }

    func userID(of account: AccountID, at server: ServerID) throws -> String? {
        let row = try connection.one("SELECT user_id FROM account WHERE id = $1 AND server = $2", [SQLValue(account), SQLValue(server)])
        return try row?.optionalText("user_id")
    }

    func keepSubject(of account: AccountID, at server: ServerID) throws {
        try connection.write(
            """
            INSERT INTO oauth_subject (account, server, subject) SELECT id, server, COALESCE(user_id, $3) FROM account
            WHERE id = $1 AND server = $2 ON CONFLICT (account) DO NOTHING
            """, [SQLValue(account), SQLValue(server), .text(account.text)])
    }

    private static let login = """
        SELECT \(SessionColumns.table.list("s.")) FROM session s JOIN account a ON a.id = s.account AND \(PersonColumns.usable)
        WHERE s.id = $1 AND s.server = $2 AND s.state = \(SessionColumns.States.loggedIn)
        """

    func login(of session: SessionID, at server: ServerID, now: Instant) throws -> Login? {
        try connection.one(Self.login, [SQLValue(session), SQLValue(server)]).flatMap { try SessionColumns.read($0).login(at: now) }
    }

    private static let pushed = """
        SELECT \(SessionColumns.table.list("s.")), (s.preselected IS NULL OR EXISTS (
            SELECT 1 FROM account a WHERE a.id = s.preselected AND \(PersonColumns.usable))) AS may_decide
        FROM session s WHERE s.id = $1 AND s.server = $2 AND s.open_for IS NOT NULL
        """

    func outcome(ofPushed session: SessionID, at server: ServerID, now: Instant) throws -> PushedOutcome? {
        guard let row = try connection.one(Self.pushed, [SQLValue(session), SQLValue(server)]) else { return nil }
        // Nobody whose account is blocked, or gone, will say yes. Where any account may decide, another one does.
        let mayDecide = try row.bool("may_decide")
        switch try SessionColumns.read(row).settled(at: now).state {
        case .open, .claimed, .returning: return mayDecide ? .undecided : .denied
        case .expired: return mayDecide ? .over : .denied
        case .denied, .stopped: return .denied
        case .loggedIn: return try login(of: session, at: server, now: now).map { .loggedIn($0) } ?? .denied
        }
    }

    func endPushed(_ id: SessionID, of account: AccountID?, at server: ServerID, by actor: AuditActor, now: Instant) throws {
        let row = try connection.one(Self.pushed, [SQLValue(id), SQLValue(server)])
        let place = account.map { account in
            Session(
                id: id, server: server, nonceHash: nil, stream: nil, purpose: .login, request: LoginRequest(account: account), startedAt: now,
                push: SessionPush())
        }
        guard let session = try row.map({ try SessionColumns.read($0) }) ?? place, session.settled(at: now).isUndecided else { return }
        try SessionColumns.table.save(SessionColumns.values(of: try session.after(.stop(.server), at: now)), on: connection)
        if let entry = session.unfinished(ending: .server, by: actor, at: now) { try record(entry) }
    }

    func begin(_ id: SessionID, asking request: LoginRequest, codeLife: UInt64, at server: ServerID, now: Instant) throws {
        let session = Session(
            id: id, server: server, nonceHash: nil, stream: nil, purpose: .login, request: request, startedAt: now, codeLife: codeLife)
        try SessionColumns.table.save(SessionColumns.values(of: session), on: connection)
    }

    func taker(of id: SessionID, at server: ServerID, now: Instant) throws -> SessionTaker? {
        guard let row = try connection.one(Self.pushed, [SQLValue(id), SQLValue(server)]) else { return nil }
        let session = try SessionColumns.read(row).settled(at: now)
        return switch session.state {
        case .open: .nobody
        case .claimed(let claim): .account(claim.account, gaveUp: session.report?.saysItIsLeft == true)
        case .returning, .loggedIn, .denied, .expired, .stopped: nil
        }
    }

    private static let hinted = """
        SELECT a.id FROM account a WHERE \(PersonColumns.usable) AND a.id IN (
            SELECT id FROM account WHERE server = $1 AND user_id = $2
            UNION SELECT account FROM oauth_subject WHERE server = $1 AND subject = $2
            UNION SELECT id FROM account WHERE server = $1 AND id = $3 AND user_id IS NULL)
        ORDER BY a.last_login IS NULL, a.last_login DESC, a.created_at DESC, a.id LIMIT 1
        """

    func account(hinted userID: String, at server: ServerID) throws -> AccountID? {
        try connection.one(Self.hinted, [SQLValue(server), .text(userID), SQLValue(AccountID(text: userID))])?.identifier("id")
    }

    private static let appSession = """
        SELECT \(SessionColumns.table.list("s.")) FROM nonce n JOIN session s ON s.id = n.session
        JOIN account a ON a.id = s.account AND \(PersonColumns.usable)
        WHERE n.server = $1 AND n.hash = $2 AND n.kind = $3 AND s.state = \(SessionColumns.States.loggedIn)
        """

    func appSession(webNonceHash: [UInt8], of server: ServerID, at now: Instant) throws -> AppSession? {
        let arguments = [SQLValue(server), .blob(webNonceHash), SQLValue(NoncePointer.Kind.web)]
        return try connection.one(Self.appSession, arguments).flatMap { row in
            let session = try SessionColumns.read(row)
            return session.login(at: now).map { AppSession(session: session.id, login: $0, tokenKey: $0.tokenKey.map { Thumbprint($0) }) }
        }
    }
}

extension Session {
    /// The login, if it goes on.
    fileprivate func login(at now: Instant) -> Login? {
        if case .loggedIn(let login) = settled(at: now).state { login } else { nil }
    }
}

/// A person beside the account that is `a` in a statement.
enum PersonColumns {
    static let list = """
        a.user_id AS person_user, a.display_name AS person_display, k.subject AS person_subject, u.name AS person_name,
        u.picture AS person_picture, u.email AS person_email, u.email_verified AS person_verified
        """

    static let joins = """
        LEFT JOIN oauth_subject k ON k.account = a.id LEFT JOIN oauth_user u ON u.server = a.server AND u.user_id = a.user_id
        """

    /// That the account may log in: a headless one may not.
    static let usable = "a.state = \(stateList(Account.State.active)) AND a.blocked = 0 AND \(StoredInstance.isThere)"

    static func read(_ row: SQLRow, _ account: AccountID) throws -> Person {
        let display = try row.text("person_display")
        let profile = ProfileClaims(
            name: try row.optionalText("person_name") ?? (display.isEmpty ? nil : display), picture: try row.optionalText("person_picture"),
            email: try row.optionalText("person_email"), isEmailVerified: try row.optionalInteger("person_verified") == 1)
        return Person(account: account, userID: try row.optionalText("person_user"), kept: try row.optionalText("person_subject"), profile: profile)
    }
}
