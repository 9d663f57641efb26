import Authentication
import Database
import OstiaryProtocol

/// What the second-factor server is still to be told.
extension SQLRows {
    func queue(_ close: PendingClose) throws {
        try connection.write(
            """
            INSERT INTO pending_close (instance, server, since, attempts, due_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (instance) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at
            """,
            [
                SQLValue(close.instance), SQLValue(close.server), SQLValue(close.retry.since), SQLValue(number: close.retry.attempts),
                SQLValue(close.retry.dueAt),
            ])
    }

    func dueCloses(at now: Instant, limit: Int) throws -> [PendingClose] {
        try closes("WHERE due_at <= $1 ORDER BY due_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func closes(_ condition: String, _ arguments: [SQLValue]) throws -> [PendingClose] {
        try connection.query("SELECT instance, server, since, attempts, due_at FROM pending_close \(condition)", arguments).map { row in
            PendingClose(
                instance: try row.identifier("instance"), server: try row.identifier("server"), retry: try retry(row))
        }
    }

    func removeClose(of instance: InstanceID) throws {
        try connection.write("DELETE FROM pending_close WHERE instance = $1", [SQLValue(instance)])
    }

    func oldestClose() throws -> Instant? {
        try connection.one("SELECT since FROM pending_close ORDER BY since LIMIT 1")?.instant("since")
    }

    func queue(_ leave: PendingLeave) throws {
        try connection.write(
            """
            INSERT INTO pending_leave (device_key, instance, server, since, attempts, due_at) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (device_key) DO UPDATE SET attempts = excluded.attempts, due_at = excluded.due_at
            """,
            [
                .blob(leave.deviceKey), SQLValue(leave.instance), SQLValue(leave.server), SQLValue(leave.retry.since),
                SQLValue(number: leave.retry.attempts), SQLValue(leave.retry.dueAt),
            ])
    }

    func dueLeaves(at now: Instant, limit: Int) throws -> [PendingLeave] {
        try leaves("WHERE due_at <= $1 ORDER BY due_at LIMIT $2", [SQLValue(now), SQLValue(limit)])
    }

    func leaves(_ condition: String, _ arguments: [SQLValue]) throws -> [PendingLeave] {
        try connection.query("SELECT device_key, instance, server, since, attempts, due_at FROM pending_leave \(condition)", arguments).map { row in
            PendingLeave(
                deviceKey: try row.blob("device_key"), instance: try row.identifier("instance"), server: try row.identifier("server"),
                retry: try retry(row))
        }
    }

    func removeLeave(of deviceKey: [UInt8]) throws {
        try connection.write("DELETE FROM pending_leave WHERE device_key = $1", [.blob(deviceKey)])
    }

    func isLeaving(_ deviceKey: [UInt8]) throws -> Bool {
        try connection.one("SELECT 1 FROM pending_leave WHERE device_key = $1", [.blob(deviceKey)]) != nil
    }

    func oldestLeave() throws -> Instant? {
        try connection.one("SELECT since FROM pending_leave ORDER BY since LIMIT 1")?.instant("since")
    }

    private func retry(_ row: SQLRow) throws -> RetrySchedule {
        RetrySchedule(since: try row.instant("since"), attempts: try row.number("attempts"), dueAt: try row.instant("due_at"))
    }
}
