import Authentication
import Database
import OstiaryProtocol

/// Rows that lie ahead of the clock. None of these questions has an index: they are asked at a start and after a clock was put back.
extension SQLRows {
    func sessions(writtenAfter moment: Instant, limit: Int) throws -> [Session] {
        try sessions("WHERE s.started_at > $1 OR s.last_ping > $1 LIMIT $2", [SQLValue(moment), SQLValue(limit)])
    }

    func enrolments(expiringAfter moment: Instant, limit: Int) throws -> [Enrolment] {
        try enrolments("WHERE expires_at > $1 AND state IN (\(EnrolmentColumns.unfinished)) LIMIT $2", [SQLValue(moment), SQLValue(limit)])
    }

    func removeCaches(verifiedAfter moment: Instant, orActivatedAfter activation: Instant) throws {
        try connection.write(
            "DELETE FROM pin_cache WHERE verified_at > $1 OR single_use <> 0 AND expires_at > $2",
            [SQLValue(moment), SQLValue(activation + FactorCache.activationLife)])
    }

    func closes(dueAfter moment: Instant) throws -> [PendingClose] { try closes("WHERE due_at > $1", [SQLValue(moment)]) }
    func leaves(dueAfter moment: Instant) throws -> [PendingLeave] { try leaves("WHERE due_at > $1", [SQLValue(moment)]) }
}
