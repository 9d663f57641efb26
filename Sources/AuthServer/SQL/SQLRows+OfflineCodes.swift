import Authentication
import Database
import OstiaryProtocol

/// What is counted of offline codes.
extension SQLRows {
    private static let tries = SQLTable("offline_tries", key: ["server", "reference"], columns: ["moments", "reserved_until", "last_moment"])
    private static let failures = SQLTable("offline_failures", key: ["server"], columns: ["since", "count"])

    func offlineTries(of reference: UInt32, at server: ServerID) throws -> OfflineTries? {
        let sql = "SELECT moments, reserved_until FROM offline_tries WHERE server = $1 AND reference = $2"
        return try connection.one(sql, [SQLValue(server), SQLValue(number: reference)]).map { row in
            OfflineTries(
                server: server, reference: reference, moments: try Self.moments(try row.blob("moments")),
                reservedUntil: try row.optionalInstant("reserved_until"))
        }
    }

    func save(_ tries: OfflineTries) throws {
        var writer = ByteWriter()
        for moment in tries.moments { writer.instant(moment) }
        try Self.tries.save(
            [
                SQLValue(tries.server), SQLValue(number: tries.reference), .blob(writer.bytes), SQLValue(tries.reservedUntil),
                SQLValue(tries.lastMoment),
            ], on: connection)
    }

    func offlineFailures(at server: ServerID) throws -> OfflineFailures? {
        try connection.one("SELECT since, count FROM offline_failures WHERE server = $1", [SQLValue(server)]).map { row in
            OfflineFailures(server: server, since: try row.instant("since"), count: try row.number("count"))
        }
    }

    func save(_ failures: OfflineFailures) throws {
        try Self.failures.save([SQLValue(failures.server), SQLValue(failures.since), SQLValue(number: failures.count)], on: connection)
    }

    /// Of so many at most: nothing follows from them any more.
    func removeOfflineTries(before moment: SQLValue, limit: SQLValue) throws -> Int {
        try connection.execute(
            """
            DELETE FROM offline_tries WHERE (server, reference) IN
            (SELECT server, reference FROM offline_tries WHERE last_moment < $1 ORDER BY last_moment LIMIT $2)
            """, [moment, limit])
    }

    /// Eight bytes each, one after the other.
    private static func moments(_ bytes: [UInt8]) throws -> [Instant] {
        guard bytes.count.isMultiple(of: 8) else { throw SQLError.outOfRange("moments") }
        var reader = ByteReader(bytes)
        return try (0..<bytes.count / 8).map { _ in try reader.instant() }
    }
}
