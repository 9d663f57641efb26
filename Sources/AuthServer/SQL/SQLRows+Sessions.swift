import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func session(_ id: SessionID) throws -> Session? {
        try knownSessions.row(id) { try sessions("WHERE s.id = $1", [SQLValue(id)]).first }
    }

    func session(stream: StreamID, of server: ServerID) throws -> Session? {
        try sessions(
            "WHERE s.stream = $1 AND s.server = $2 ORDER BY s.last_moment IS NOT NULL, s.started_at DESC, s.id DESC LIMIT 1",
            [SQLValue(stream), SQLValue(server)]
        ).first
    }

    func session(returnCodeHash: [UInt8], of server: ServerID) throws -> Session? {
        try sessions("WHERE s.return_code_hash = $1 AND s.server = $2", [.blob(returnCodeHash), SQLValue(server)]).first
    }

    private static let selection = "SELECT \(SessionColumns.table.list("s.")) FROM session s "

    func sessions(_ condition: String, _ arguments: [SQLValue]) throws -> [Session] {
        try connection.query(Self.selection + condition, arguments).map { row in
            let session = try SessionColumns.read(row)
            knownSessions.note(session, as: session.id)
            return session
        }
    }

    func save(_ session: Session) throws {
        try knownSessions.save(session, as: session.id, values: SessionColumns.values, by: SessionColumns.table.saver(on: connection))
    }

    func unfinishedSessions(of account: AccountID) throws -> [Session] {
        try sessions("WHERE s.account = $1 AND s.state IN (\(SessionColumns.States.unfinished))", [SQLValue(account)])
    }

    func unfinishedAppLogins(of account: AccountID) throws -> [Session] {
        try sessions(
            "WHERE s.account = $1 AND s.purpose = $2 AND s.state IN (\(SessionColumns.States.unfinished))",
            [SQLValue(account), SQLValue(SessionPurpose.app)])
    }

    func waitingSessions(of account: AccountID, at now: Instant) throws -> [Session] {
        try sessions(
            """
            WHERE s.preselected = $1 AND s.open_for IS NOT NULL AND s.state IN (\(SessionColumns.States.undecided)) AND s.runs_out_at >= $2
            ORDER BY s.started_at, s.id
            """, [SQLValue(account), SQLValue(now)])
    }

    func wrongNumbers(of account: AccountID, since: Instant) throws -> Int {
        let sql = "SELECT SUM(wrong_numbers) AS total FROM session WHERE preselected = $1 AND wrong_numbers > 0 AND started_at >= $2"
        return Int(clamping: try connection.one(sql, [SQLValue(account), SQLValue(since)])?.optionalUnsigned("total") ?? 0)
    }

    func askAnew(at server: ServerID) throws {
        try connection.write(
            "UPDATE session SET asked = (asked + 1) % 4294967296 WHERE server = $1 AND state = \(SessionColumns.States.open)", [SQLValue(server)])
        knownSessions.forget()
    }

    func overdueSessions(at now: Instant, limit: Int) throws -> [Session] {
        try sessions("WHERE s.runs_out_at < $1 ORDER BY s.runs_out_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func pointer(nonceHash: [UInt8], of server: ServerID) throws -> NoncePointer? {
        let sql = "SELECT kind, session, run FROM nonce WHERE server = $1 AND hash = $2"
        return try connection.one(sql, [SQLValue(server), .blob(nonceHash)]).map { row in
            NoncePointer(
                server: server, hash: nonceHash, kind: try row.choice("kind"), session: try row.identifier("session"), run: try row.number("run"))
        }
    }

    private static let pointers = SQLTable("nonce", key: ["server", "hash"], columns: ["kind", "session", "run"])

    func save(_ pointer: NoncePointer) throws {
        try Self.pointers.save(
            [SQLValue(pointer.server), .blob(pointer.hash), SQLValue(pointer.kind), SQLValue(pointer.session), SQLValue(number: pointer.run)],
            on: connection)
    }

    func removePointer(nonceHash: [UInt8], of server: ServerID) throws {
        try connection.write("DELETE FROM nonce WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(nonceHash)])
    }

    /// Of the tables of ``SessionViews/watched``.
    static let view = """
        SELECT \(SessionColumns.table.list("s.")), a.id AS account_id, a.user_id AS account_user, a.device_key AS account_key,
        a.instance AS account_instance FROM nonce n JOIN session s ON s.id = n.session
        LEFT JOIN account a ON a.id = s.account AND s.state = \(SessionColumns.States.loggedIn) WHERE n.server = $1 AND n.hash = $2
        """

    func view(nonceHash: [UInt8], of server: ServerID) throws -> SessionView? {
        try connection.one(Self.view, Self.viewed(nonceHash, server)).map(Self.view(from:))
    }

    /// The same without a transaction around it.
    static func view(nonceHash: [UInt8], of server: ServerID, in database: any Database) async throws -> SessionView? {
        try await database.rows(view, viewed(nonceHash, server)).first.map(view(from:))
    }

    /// The same of a database that looks it up at once; nil where it doesn't.
    static func viewAtOnce(nonceHash: [UInt8], of server: ServerID, in database: any Database) -> SessionView? {
        guard let rows = database.rowsAtOnce(view, viewed(nonceHash, server)), rows.count == 1 else { return nil }
        return try? view(from: rows[0])
    }

    private static func viewed(_ nonceHash: [UInt8], _ server: ServerID) -> [SQLValue] { [SQLValue(server), .blob(nonceHash)] }

    private static func view(from row: SQLRow) throws -> SessionView {
        let account = try row.optionalIdentifier("account_id", of: AccountKind.self).map { id in
            AccountFacts(
                id: id, userID: try row.optionalText("account_user"), deviceKey: try row.blob("account_key"),
                instance: try StoredInstance.read(row, "account_instance"))
        }
        return SessionView(session: try SessionColumns.read(row), account: account)
    }

    func add(_ logo: ServerLogo, to session: SessionID, keeping count: Int) throws {
        try connection.write("DELETE FROM session_logo WHERE session = $1 AND hash = $2", [SQLValue(session), .blob(logo.hash)])
        try connection.write(
            "INSERT INTO session_logo (session, hash, logo) VALUES ($1, $2, $3)", [SQLValue(session), .blob(logo.hash), .blob(logo.bytes)])
        try connection.write(
            """
            DELETE FROM session_logo WHERE session = $1 AND position NOT IN
            (SELECT position FROM session_logo WHERE session = $1 ORDER BY position DESC LIMIT $2)
            """,
            [SQLValue(session), SQLValue(count)])
    }
}
