import Authentication
import Database
import OAuthProvider
import OstiaryProtocol

/// What clients' backends are still to be told.
extension SQLOAuthRows {
    /// Notices of the grants that are found: whose session goes on no more, as it is gone, or is over though nobody has written that down
    /// yet; or that an operator ended.
    /// - Parameters:
    ///   - found: what stands first behind `FROM`.
    ///   - condition: by which `g`, the grant, is among it.
    ///   - now: the place of the moment among the arguments.
    private static func notices(from found: String, where condition: String, at now: String) -> String {
        """
        SELECT DISTINCT g.server, g.session, g.client, k.subject, c.logout_uri, a.id IS NULL AS is_over, l.since, l.attempts,
        COALESCE(l.due_at, \(now)) AS due
        FROM \(found) CROSS JOIN oauth_grant g CROSS JOIN oauth_client c
        LEFT JOIN session s ON s.id = g.session AND s.state = \(SessionColumns.States.loggedIn) AND s.deadline >= \(now)
        LEFT JOIN account a ON a.id = s.account
        LEFT JOIN oauth_subject k ON k.account = g.account
        LEFT JOIN oauth_logout l ON l.session = g.session AND l.client = g.client
        WHERE \(condition) AND g.told = 0 AND c.server = g.server AND c.id = g.client AND c.logout_uri IS NOT NULL
        AND (a.id IS NULL OR g.ended = 1) AND (l.due_at IS NULL OR l.due_at <= \(now))
        """
    }

    /// Sessions of which something became due, each kind by its index; then each client's first before any client's second.
    private static let lately = """
        WITH lately AS (
        SELECT id AS session FROM session WHERE last_moment >= $2 AND last_moment <= $1
        UNION SELECT id FROM session WHERE runs_out_at >= $2 AND runs_out_at < $1
        UNION SELECT session FROM oauth_grant WHERE revoked_at >= $2 AND revoked_at <= $1 AND ended = 1
        UNION SELECT session FROM oauth_logout WHERE due_at >= $2 AND due_at <= $1)
        SELECT * FROM (SELECT n.*, ROW_NUMBER() OVER (PARTITION BY n.server, n.client ORDER BY n.due, n.session) AS turn FROM (
        \(notices(from: "lately", where: "g.session = lately.session", at: "$1"))
        ) n) t ORDER BY turn, due, session, client LIMIT $3
        """

    func logouts(dueSince since: Instant, at now: Instant, limit: Int) throws -> [LogoutNotice] {
        try connection.query(Self.lately, [SQLValue(now), SQLValue(since), SQLValue(limit)]).map { row in try Self.notice(row, at: now) }
    }

    /// After the server `$1`, the client `$2` and the grant `$3` the next `$4`: the rest of that client's, and those of the clients after it. Apart, as one
    /// condition for both would have the database begin at the client's first. Clients without an address cost nothing.
    private static let part = """
        WITH part AS MATERIALIZED (SELECT * FROM (
        SELECT * FROM (SELECT g.server, g.client, g.id FROM oauth_client c CROSS JOIN oauth_grant g
        WHERE c.server = $1 AND c.id = $2 AND c.logout_uri IS NOT NULL AND g.server = c.server AND g.client = c.id AND g.told = 0 AND g.id > $3
        ORDER BY g.id LIMIT $4) rest
        UNION ALL SELECT * FROM (SELECT g.server, g.client, g.id FROM oauth_client c CROSS JOIN oauth_grant g
        WHERE (c.server, c.id) > ($1, $2) AND c.logout_uri IS NOT NULL AND g.server = c.server AND g.client = c.id AND g.told = 0
        ORDER BY c.server, c.id, g.id LIMIT $4) others
        ) nearest ORDER BY server, client, id LIMIT $4)
        """
    /// Its notices, and as a row of its own where it ends, if it is full: in one statement, as each would look the part up again.
    private static let partNotices = """
        \(part) SELECT notices.*, NULL AS place FROM (\(notices(from: "part", where: "g.id = part.id", at: "$5"))) notices
        UNION ALL SELECT server, NULL, client, NULL, NULL, NULL, NULL, NULL, NULL, id FROM (SELECT server, client, id FROM part
        ORDER BY server, client, id LIMIT 1 OFFSET $4 - 1) place
        """

    func logouts(among count: Int, after place: GrantPlace?, at now: Instant) throws -> LogoutPart {
        // Before every other: no client has the empty name.
        let (server, client, grant): (SQLValue, SQLValue, SQLValue) =
            place.map { (SQLValue($0.server), .text($0.client.text), SQLValue($0.grant)) } ?? (.blob([]), .text(""), .blob([]))
        var (notices, next): ([LogoutNotice], GrantPlace?) = ([], nil)
        for row in try connection.query(Self.partNotices, [server, client, grant, SQLValue(count), SQLValue(now)]) {
            if let place: GrantID = try row.optionalIdentifier("place") {
                next = GrantPlace(server: try row.identifier("server"), client: try row.client("client"), grant: place)
            } else {
                notices.append(try Self.notice(row, at: now))
            }
        }
        return LogoutPart(notices: notices, next: next)
    }

    func isAnyClientTold() throws -> Bool {
        // The first server or a later one: from an end of the table to the other, if need be, but by its key.
        try connection.one("SELECT 1 FROM oauth_client WHERE server >= $1 AND logout_uri IS NOT NULL LIMIT 1", [.blob([])]) != nil
    }

    private static func notice(_ row: SQLRow, at now: Instant) throws -> LogoutNotice {
        LogoutNotice(
            server: try row.identifier("server"), session: try row.identifier("session"), client: try row.client("client"),
            subject: try row.optionalText("subject"), address: try row.text("logout_uri"), isOver: try row.bool("is_over"),
            retry: try retry(row, "since", "attempts", "due") ?? RetrySchedule(from: now))
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
        try connection.write("UPDATE oauth_grant SET told = 1 WHERE session = $1 AND client = $2\(told)", arguments)
        try connection.write("DELETE FROM oauth_logout WHERE session = $1 AND client = $2", arguments)
    }

    /// Decided, and still to be had: a yes for a while longer than a no (`PolledAuthorization.goodUntil`).
    private static let pings = """
        SELECT \(PolledColumns.table.list("")), ping_since, ping_attempts, ping_due,
        ROW_NUMBER() OVER (PARTITION BY server, client ORDER BY COALESCE(ping_due, $1), hash) AS turn FROM oauth_polled
        WHERE ping_address IS NOT NULL AND ping_settled = 0 AND state <> \(PolledColumns.pending)
        AND (expires_at >= $1 OR state = \(PolledColumns.approved) AND expires_at + pause + \(PolledAuthorization.grace) >= $1)
        AND (ping_due IS NULL OR ping_due <= $1) ORDER BY turn, COALESCE(ping_due, $1), hash LIMIT $2
        """

    /// Whether anybody waits for a ping, by the index of those: to put nothing into the order of its turns costs ten times as much.
    private static let anyPing = "SELECT 1 FROM oauth_polled WHERE ping_address IS NOT NULL AND ping_settled = 0 AND expires_at >= $1 LIMIT 1"

    func duePings(at now: Instant, limit: Int) throws -> [DuePing] {
        guard try connection.one(Self.anyPing, [.integer(0)]) != nil else { return [] }
        return try connection.query(Self.pings, [SQLValue(now), SQLValue(limit)]).compactMap { row in
            DuePing(
                try PolledColumns.read(row, secrets),
                retry: try Self.retry(row, "ping_since", "ping_attempts", "ping_due") ?? RetrySchedule(from: now))
        }
    }

    func postpone(_ ping: DuePing) throws {
        try connection.write(
            "UPDATE oauth_polled SET ping_since = $3, ping_attempts = $4, ping_due = $5 WHERE server = $1 AND hash = $2",
            [
                SQLValue(ping.server), .blob(ping.hash), SQLValue(ping.retry.since), SQLValue(number: ping.retry.attempts),
                SQLValue(ping.retry.dueAt),
            ])
    }

    func settle(_ ping: DuePing) throws {
        try connection.write(
            "UPDATE oauth_polled SET ping_settled = 1 WHERE server = $1 AND hash = $2", [SQLValue(ping.server), .blob(ping.hash)])
    }
}
