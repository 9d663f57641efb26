import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    private static let upsert = Upsert("session", key: ["id"], columns: SessionColumns.names + ["runs_out_at", "last_moment"])
    private static let selected = SessionColumns.names.map { "s.\($0)" }.joined(separator: ", ")

    func session(_ id: SessionID) throws -> Session? {
        try sessions("WHERE s.id = $1", [SQLValue(id)]).first
    }

    func session(stream: StreamID, of server: ServerID) throws -> Session? {
        try sessions(
            "WHERE s.stream = $1 AND s.server = $2 ORDER BY s.started_at DESC, s.id DESC LIMIT 1", [SQLValue(stream), SQLValue(server)]
        ).first
    }

    func session(returnCodeHash: [UInt8], of server: ServerID) throws -> Session? {
        try sessions("WHERE s.return_code_hash = $1 AND s.server = $2", [.blob(returnCodeHash), SQLValue(server)]).first
    }

    func sessions(_ condition: String, _ arguments: [SQLValue]) throws -> [Session] {
        try all("SELECT \(Self.selected) FROM session s \(condition)", arguments) { try SessionColumns.read(&$0) }
    }

    func save(_ session: Session) throws {
        try connection.execute(
            Self.upsert.sql, SessionColumns.values(of: session) + [SQLValue(session.runsOutAt), SQLValue(session.lastMoment)])
    }

    func unfinishedSessions(of account: AccountID) throws -> [Session] {
        try sessions("WHERE s.account = $1 AND s.state IN (\(SessionColumns.States.unfinished))", [SQLValue(account)])
    }

    func askAnew(at server: ServerID) throws {
        try connection.execute(
            "UPDATE session SET asked = (asked + 1) % 4294967296 WHERE server = $1 AND state = \(SessionColumns.States.open)", [SQLValue(server)])
    }

    func overdueSessions(at now: Instant, limit: Int) throws -> [Session] {
        try sessions("WHERE s.runs_out_at < $1 ORDER BY s.runs_out_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func pointer(nonceHash: [UInt8], of server: ServerID) throws -> NoncePointer? {
        let sql = "SELECT kind, session, run FROM nonce WHERE server = $1 AND hash = $2"
        guard var columns = try one(sql, [SQLValue(server), .blob(nonceHash)]) else { return nil }
        return NoncePointer(
            server: server, hash: nonceHash, kind: try columns.choice(), session: try columns.identifier(), run: try columns.number())
    }

    func save(_ pointer: NoncePointer) throws {
        try connection.execute(
            """
            INSERT INTO nonce (server, hash, kind, session, run) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (server, hash) DO UPDATE SET kind = excluded.kind, session = excluded.session, run = excluded.run
            """,
            [SQLValue(pointer.server), .blob(pointer.hash), SQLValue(pointer.kind), SQLValue(pointer.session), SQLValue(number: pointer.run)])
    }

    func removePointer(nonceHash: [UInt8], of server: ServerID) throws {
        try connection.execute("DELETE FROM nonce WHERE server = $1 AND hash = $2", [SQLValue(server), .blob(nonceHash)])
    }

    private static let view = """
        SELECT \(selected), a.id, a.user_id, a.device_key, a.instance FROM nonce n JOIN session s ON s.id = n.session
        LEFT JOIN account a ON a.id = s.account AND s.state = \(SessionColumns.States.loggedIn) WHERE n.server = $1 AND n.hash = $2
        """

    func view(nonceHash: [UInt8], of server: ServerID) throws -> SessionView? {
        guard var columns = try one(Self.view, [SQLValue(server), .blob(nonceHash)]) else { return nil }
        let session = try SessionColumns.read(&columns)
        guard let account = try columns.optionalIdentifier(AccountKind.self) else { return SessionView(session: session, account: nil) }
        let facts = AccountFacts(
            id: account, userID: try columns.optionalText(), deviceKey: try columns.blob(), instance: try columns.optionalIdentifier())
        return SessionView(session: session, account: facts)
    }

    func add(_ logo: ServerLogo, to session: SessionID, keeping count: Int) throws {
        try connection.execute("DELETE FROM session_logo WHERE session = $1 AND hash = $2", [SQLValue(session), .blob(logo.hash)])
        try connection.execute(
            "INSERT INTO session_logo (session, hash, logo) VALUES ($1, $2, $3)", [SQLValue(session), .blob(logo.hash), .blob(logo.bytes)])
        try connection.execute(
            """
            DELETE FROM session_logo WHERE session = $1 AND position NOT IN
            (SELECT position FROM session_logo WHERE session = $1 ORDER BY position DESC LIMIT $2)
            """,
            [SQLValue(session), SQLValue(count)])
    }
}
