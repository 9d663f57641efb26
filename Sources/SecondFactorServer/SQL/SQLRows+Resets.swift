import Database
import OstiaryProtocol
import SecondFactor

extension SQLRows {
    func resets(of instance: InstanceID, since: Instant) throws -> [ResetRecord] {
        try connection.query(
            """
            SELECT instance_id, server_id, granted_at, message_time, highest, proven
            FROM reset_log WHERE instance_id = $1 AND granted_at >= $2 ORDER BY number
            """, [.blob(instance.bytes), SQLValue(since.seconds)]
        ).map { try ResetRecord($0) }
    }

    func add(_ record: ResetRecord) throws {
        try connection.write(
            """
            INSERT INTO reset_log (instance_id, server_id, granted_at, message_time, highest, proven) VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .blob(record.instanceID.bytes), .blob(record.serverID.bytes), SQLValue(record.grantedAt.seconds),
                SQLValue(record.messageTime?.seconds), SQLValue(record.highest), SQLValue(record.proven),
            ])
    }

    func removeResets(before moment: Instant, limit: Int) throws -> Int {
        // There is no index by time: of so many at the beginning those that are old.
        try connection.execute(
            """
            DELETE FROM reset_log WHERE number IN
            (SELECT number FROM (SELECT number, granted_at FROM reset_log ORDER BY number LIMIT $2) AS oldest WHERE granted_at < $1)
            """, [SQLValue(moment.seconds), SQLValue(limit)])
    }
}
