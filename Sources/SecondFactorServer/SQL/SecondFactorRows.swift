import Database
import OstiaryProtocol
import SecondFactor

/// The rows of instances, attempts and pending keys in one transaction. What it has read it knows, so that saving writes what differs.
final class SecondFactorRows {
    let connection: any SQLConnection
    let knownInstances = KnownRows<InstanceID, Instance>()
    let knownAttempts = KnownRows<AttemptID, AttemptRecord>()
    let knownKeys = KnownRows<InstanceID, PendingKey>()

    init(_ connection: any SQLConnection) { self.connection = connection }

    func situation(of instanceID: InstanceID, attempt attemptID: AttemptID, voucher: AttemptID? = nil) throws -> Situation {
        Situation(
            instance: try instance(instanceID), attempt: try attempt(attemptID), pending: try pendingKey(instanceID),
            voucher: try voucher.flatMap { try attempt($0) })
    }

    func instance(_ id: InstanceID) throws -> Instance? {
        try knownInstances.row(id) {
            try connection.one("SELECT \(InstanceColumns.table.list()) FROM instance WHERE id = $1", [.blob(id.bytes)]).map { try Instance($0) }
        }
    }

    func attempt(_ id: AttemptID) throws -> AttemptRecord? {
        try knownAttempts.row(id) {
            try connection.one("SELECT \(AttemptColumns.table.list()) FROM attempt WHERE id = $1", [.blob(id.bytes)]).map { try AttemptRecord($0) }
        }
    }

    func pendingKey(_ id: InstanceID) throws -> PendingKey? {
        try knownKeys.row(id) {
            try connection.one("SELECT \(PendingKeyColumns.table.list()) FROM pending_key WHERE instance_id = $1", [.blob(id.bytes)]).map {
                try PendingKey($0)
            }
        }
    }

    func resets(of id: InstanceID, since: Instant) throws -> [ResetRecord] {
        try connection.query(
            """
            SELECT instance_id, server_id, granted_at, message_time, highest, proven
            FROM reset_log WHERE instance_id = $1 AND granted_at >= $2 ORDER BY number
            """, [.blob(id.bytes), SQLValue(since.seconds)]
        ).map { try ResetRecord($0) }
    }

    func keep(evaluation: [UInt8], of attempt: AttemptID) throws {
        try connection.execute(
            "UPDATE attempt SET evaluation = $2 WHERE id = $1 AND evaluation IS NULL", [.blob(attempt.bytes), .blob(evaluation)])
        knownAttempts.forget()
    }

    func deleteExpired(at now: Instant) throws -> Int {
        let attempts = try connection.execute("DELETE FROM attempt WHERE expires_at <= $1", [SQLValue(now.seconds)])
        let keys = try connection.execute("DELETE FROM pending_key WHERE expires_at <= $1", [SQLValue(now.seconds)])
        knownAttempts.forget()
        knownKeys.forget()
        return attempts + keys
    }
}
