import Database
import OstiaryProtocol
import SecondFactor

/// The statements over instances, attempts and pending keys, inside a transaction.
struct SecondFactorRows {
    let connection: any SQLConnection

    func situation(of instanceID: InstanceID, attempt attemptID: AttemptID, voucher: AttemptID? = nil) throws -> Situation {
        Situation(
            instance: try instance(instanceID), attempt: try attempt(attemptID), pending: try pendingKey(instanceID),
            voucher: try voucher.flatMap { try attempt($0) })
    }

    func instance(_ id: InstanceID) throws -> Instance? {
        try connection.one(
            """
            SELECT id, server_id, server_root, device_keys, epoch, second_factor_key, evaluation_key, highest, proven, proven_by_pin,
                penalty_until, last_seen, without_pin, last_pin, biometric_key, last_reset
            FROM instance WHERE id = $1
            """, [.blob(id.bytes)]
        ).map { try Instance($0) }
    }

    func attempt(_ id: AttemptID) throws -> AttemptRecord? {
        try connection.one(
            """
            SELECT id, instance_id, server_id, server_root, session_hash, context, device_key, epoch, blinded_hash, sequence, reserved_at,
                expires_at, failed, most, wait, without_pin_left, new_evaluation_key, evaluation, state, signature_hash, receipt,
                biometric_key, voucher, vouched_by, made_at, method, proved_at
            FROM attempt WHERE id = $1
            """, [.blob(id.bytes)]
        ).map { try AttemptRecord($0) }
    }

    func pendingKey(_ id: InstanceID) throws -> PendingKey? {
        try connection.one(
            """
            SELECT instance_id, server_id, server_root, attempt_id, device_key, evaluation_key, expires_at
            FROM pending_key WHERE instance_id = $1
            """, [.blob(id.bytes)]
        ).map { try PendingKey($0) }
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
    }

    func deleteExpired(at now: Instant) throws -> Int {
        let attempts = try connection.execute("DELETE FROM attempt WHERE expires_at <= $1", [SQLValue(now.seconds)])
        return attempts + (try connection.execute("DELETE FROM pending_key WHERE expires_at <= $1", [SQLValue(now.seconds)]))
    }
}
