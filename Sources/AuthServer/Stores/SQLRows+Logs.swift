import Authentication
import Database
import OstiaryProtocol

extension SQLRows {
    func spend(_ key: [UInt8], until: Instant) throws -> Bool {
        try connection.execute("INSERT INTO replay (key, until) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", [.blob(key), SQLValue(until)]) == 1
    }

    func record(_ entry: AuditEntry) throws {
        try connection.execute(
            "INSERT INTO audit (kind, server, account, at) VALUES ($1, $2, $3, $4)",
            [.text(entry.kind.rawValue), SQLValue(entry.server), SQLValue(entry.account), SQLValue(entry.at)])
        recorded.append(entry)
    }

    func auditEntries(of server: ServerID, limit: Int) throws -> [AuditEntry] {
        let sql = "SELECT kind, account, at FROM audit WHERE server = $1 ORDER BY position DESC LIMIT $2"
        return try all(sql, [SQLValue(server), SQLValue(limit)]) { columns in
            guard let kind = AuditEntry.Kind(rawValue: try columns.text()) else { throw SQLError.outOfRange("kind") }
            return AuditEntry(kind, server: server, account: try columns.optionalIdentifier(), at: try columns.instant())
        }
    }

    func removeExpired(at now: Instant) throws -> Int {
        let time = SQLValue(now)
        let sessionEnd = SQLValue(now - Retention.finishedSession)
        var count = try connection.execute("DELETE FROM replay WHERE until < $1", [time])
        count += try connection.execute("DELETE FROM pin_cache WHERE expires_at < $1", [time])
        count += try connection.execute("DELETE FROM enrolment WHERE expires_at < $1", [SQLValue(now - Retention.enrolment)])
        count += try connection.execute(
            "DELETE FROM offer WHERE session IN (SELECT id FROM session WHERE last_moment < $1)", [sessionEnd])
        count += try connection.execute(
            "DELETE FROM nonce WHERE session IN (SELECT id FROM session WHERE last_moment < $1)", [sessionEnd])
        count += try connection.execute("DELETE FROM session WHERE last_moment < $1", [sessionEnd])
        return count
    }
}
