import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func spend(_ key: [UInt8], until: Instant) throws -> Bool {
        let sql = "INSERT INTO replay (key, until) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING"
        // As a rule it is new: so nobody waits to hear it. One that is not ends the run of this body, and the next one hears it here.
        do { try connection.write(sql, [.blob(key), SQLValue(until)], changing: 1, of: "replay") } catch SQLError.rowGone { return false }
        return true
    }

    func record(_ entry: AuditEntry) throws {
        recorded.append(try AuditColumns.add(entry, on: connection))
    }

    func auditEntries(of server: ServerID, limit: Int) throws -> [AuditEntry] {
        let sql = "SELECT kind, account, at, actor FROM audit WHERE server = $1 ORDER BY position DESC LIMIT $2"
        return try connection.query(sql, [SQLValue(server), SQLValue(limit)]).map { row in
            guard let kind = AuditEntry.Kind(rawValue: try row.text("kind")) else { throw SQLError.outOfRange("kind") }
            guard let actor = AuditActor(word: try row.optionalText("actor")) else { throw SQLError.outOfRange("actor") }
            return AuditEntry(kind, server: server, account: try row.optionalIdentifier("account"), by: actor, at: try row.instant("at"))
        }
    }

    func removeAudit(before moment: Instant, limit: Int) throws -> Int {
        // There is no index by time: of so many at the beginning those that are old.
        try connection.execute(
            """
            DELETE FROM audit WHERE position IN
            (SELECT position FROM (SELECT position, at FROM audit ORDER BY position LIMIT $2) AS oldest WHERE at < $1)
            """, [SQLValue(moment), SQLValue(limit)])
    }

    func removeExpired(at now: Instant, limit: Int) throws -> Int {
        let (time, limit) = (SQLValue(now), SQLValue(limit))
        let sessions = try connection.query(
            """
            SELECT id, server, nonce_hash FROM session WHERE last_moment < $1 OR (last_moment < $2 AND state IN (\(SessionColumns.States.unused))
            AND COALESCE(wrong_numbers, 0) = 0) ORDER BY last_moment LIMIT $3
            """, [SQLValue(now - Retention.finishedSession), SQLValue(now - Retention.unusedSession), limit])
        let caches = try connection.execute(
            "DELETE FROM pin_cache WHERE account IN (SELECT account FROM pin_cache WHERE expires_at < $1 LIMIT $2)", [time, limit])
        for session in sessions {
            let id = SQLValue.blob(try session.blob("id"))
            try connection.execute("DELETE FROM session WHERE id = $1", [id])
            // That which led to it is of its own nonce, which may lead to a later one by now.
            if let hash = try session.optionalBlob("nonce_hash") {
                try connection.execute(
                    "DELETE FROM nonce WHERE server = $1 AND hash = $2 AND session = $3", [.blob(try session.blob("server")), .blob(hash), id])
            }
        }
        knownSessions.forget()
        knownEnrolments.forget()
        return try [
            sessions.count, caches,
            connection.execute("DELETE FROM replay WHERE key IN (SELECT key FROM replay WHERE until < $1 LIMIT $2)", [time, limit]),
            connection.execute(
                "DELETE FROM enrolment WHERE id IN (SELECT id FROM enrolment WHERE expires_at < $1 LIMIT $2)",
                [SQLValue(now - Retention.enrolment), limit]),
            removeOfflineTries(before: time, limit: limit),
        ].max() ?? 0
    }
}

/// The audit trail as columns.
enum AuditColumns {
    static func add(_ entry: AuditEntry, on connection: any SQLConnection) throws -> RecordedEntry {
        let row = try connection.one(
            "INSERT INTO audit (kind, server, account, at, actor) VALUES ($1, $2, $3, $4, $5) RETURNING position",
            [.text(entry.kind.rawValue), SQLValue(entry.server), SQLValue(entry.account), SQLValue(entry.at), SQLValue(entry.actor.word)])
        return RecordedEntry(entry: entry, position: try SQLRow.required(row, "position").integer("position"))
    }

    /// Whether the row of an entry was kept: its place may be that of another's by now, where it was not.
    static func isThere(_ recorded: RecordedEntry, on connection: any SQLConnection) throws -> Bool {
        let sql = "SELECT kind, server, account, at, actor FROM audit WHERE position = $1"
        guard let row = try connection.one(sql, [.integer(recorded.position)]) else { return false }
        let entry = recorded.entry
        return try row.text("kind") == entry.kind.rawValue && row.identifier("server") == entry.server
            && row.optionalIdentifier("account") == entry.account && row.instant("at") == entry.at && row.optionalText("actor") == entry.actor.word
    }
}
