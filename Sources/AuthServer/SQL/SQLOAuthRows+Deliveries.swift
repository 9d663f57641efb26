import Authentication
import Database
import OAuthProvider
import OstiaryProtocol

/// What clients' backends are still to be told.
extension SQLOAuthRows {
    /// Grants of clients that have an address, whose session goes on no more, as it is gone, or is over though nobody has written that down yet; or that an
    /// operator ended. Clients come first, and those without an address cost nothing. Of those that are due each client's first before any client's second.
    private static let logouts = """
        SELECT * FROM (SELECT n.*, ROW_NUMBER() OVER (PARTITION BY n.server, n.client ORDER BY n.due, n.session) AS turn FROM (
        SELECT DISTINCT g.server, g.session, g.client, k.subject, c.logout_uri, a.id IS NULL AS is_over, l.since, l.attempts,
        COALESCE(l.due_at, $1) AS due
        FROM oauth_client c CROSS JOIN oauth_grant g
        LEFT JOIN session s ON s.id = g.session AND s.state = \(SessionColumns.States.loggedIn) AND s.deadline >= $1
        LEFT JOIN account a ON a.id = s.account
        LEFT JOIN oauth_subject k ON k.account = g.account
        LEFT JOIN oauth_logout l ON l.session = g.session AND l.client = g.client
        WHERE c.logout_uri IS NOT NULL AND g.server = c.server AND g.client = c.id AND g.told = 0 AND (a.id IS NULL OR g.ended = 1)
        AND (l.due_at IS NULL OR l.due_at <= $1)
        ) n) t ORDER BY turn, due, session, client LIMIT $2
        """

    func dueLogouts(at now: Instant, limit: Int) throws -> [LogoutNotice] {
        try connection.query(Self.logouts, [SQLValue(now), SQLValue(limit)]).map { row in
            LogoutNotice(
                server: try row.identifier("server"), session: try row.identifier("session"), client: try row.client("client"),
                subject: try row.optionalText("subject"), address: try row.text("logout_uri"),
                isOver: try row.bool("is_over"), retry: try Self.retry(row, "since", "attempts", "due") ?? RetrySchedule(from: now))
        }
    }

    /// Nil for what was never tried.
    private static func retry(_ row: SQLRow, _ since: StaticString, _ attempts: StaticString, _ due: StaticString) throws -> RetrySchedule? {
        guard let moment = try row.optionalInstant(since) else { return nil }
        return RetrySchedule(since: moment, attempts: try row.number(attempts), dueAt: try row.instant(due))
    }

    private static let postponed = SQLTable("oauth_logout", key: ["session", "client"], columns: ["since", "attempts", "due_at"])

    func postpone(_ notice: LogoutNotice) throws {
        try Self.postponed.save(
            [
                SQLValue(notice.session), .text(notice.client.text), SQLValue(notice.retry.since), SQLValue(number: notice.retry.attempts),
                SQLValue(notice.retry.dueAt),
            ], on: connection)
    }

    func settle(_ notice: LogoutNotice) throws {
        let arguments = [SQLValue(notice.session), .text(notice.client.text)]
        // What is left of a session that goes on is told at its end.
        let told = notice.isOver ? "" : " AND ended = 1"
        try connection.execute("UPDATE oauth_grant SET told = 1 WHERE session = $1 AND client = $2\(told)", arguments)
        try connection.execute("DELETE FROM oauth_logout WHERE session = $1 AND client = $2", arguments)
    }

    /// Decided, and still to be had: a yes for a while longer than a no (`PolledAuthorization.goodUntil`).
    private static let pings = """
        SELECT \(PolledColumns.table.list("")), ping_since, ping_attempts, ping_due,
        ROW_NUMBER() OVER (PARTITION BY server, client ORDER BY COALESCE(ping_due, $1), hash) AS turn FROM oauth_polled
        WHERE ping_address IS NOT NULL AND ping_settled = 0 AND state <> \(PolledColumns.pending)
        AND (expires_at >= $1 OR state = \(PolledColumns.approved) AND expires_at + pause + \(PolledAuthorization.grace) >= $1)
        AND (ping_due IS NULL OR ping_due <= $1) ORDER BY turn, COALESCE(ping_due, $1), hash LIMIT $2
        """

    func duePings(at now: Instant, limit: Int) throws -> [DuePing] {
        try connection.query(Self.pings, [SQLValue(now), SQLValue(limit)]).compactMap { row in
            DuePing(
                try PolledColumns.read(row, secrets),
                retry: try Self.retry(row, "ping_since", "ping_attempts", "ping_due") ?? RetrySchedule(from: now))
        }
    }

    func postpone(_ ping: DuePing) throws {
        try connection.execute(
            "UPDATE oauth_polled SET ping_since = $3, ping_attempts = $4, ping_due = $5 WHERE server = $1 AND hash = $2",
            [
                SQLValue(ping.server), .blob(ping.hash), SQLValue(ping.retry.since), SQLValue(number: ping.retry.attempts),
                SQLValue(ping.retry.dueAt),
            ])
    }

    func settle(_ ping: DuePing) throws {
        try connection.execute(
            "UPDATE oauth_polled SET ping_settled = 1 WHERE server = $1 AND hash = $2", [SQLValue(ping.server), .blob(ping.hash)])
    }
}
