import Synchronization

/// Which of several servers with one history a connection leads to. One that is promoted goes on by a timeline of its own, which is higher; the one before does
/// not hear of it, and takes writes where nobody keeps it from that.
struct ServerTimeline: Equatable {
    /// 1 for a server that no other was before.
    let number: Int
    /// Microseconds since 1970 at which it was started: a server that is reached by two names has one.
    let began: Int64

    /// Of a question to a session. A standby has no timeline of its own.
    static let columns = """
        CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline,
        (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint AS began
        """

    init(number: Int, began: Int64) { (self.number, self.began) = (number, began) }

    /// Nil of a standby.
    init?(_ row: SQLRow) throws {
        let began = try row.integer("began")
        guard let text = try row.optionalText("timeline"), let number = Int(text, radix: 16) else { return nil }
        self.init(number: number, began: began)
    }
}

/// The highest timeline on which this program has found a server that takes writes.
final class SeenTimelines: Sendable {
    private let highest = Mutex(0)

    /// Keeps it where it is the highest.
    /// - Returns: why a server of this one is not the right one, as one line that is short; nil where no higher one was seen.
    func note(_ timeline: ServerTimeline?) -> String? {
        guard let number = timeline?.number else { return nil }
        return highest.withLock { highest in
            guard number < highest else {
                highest = number
                return nil
            }
            return "it is on timeline \(number), and another was promoted to timeline \(highest): an old primary that came back. Fence it (stop it; "
                + "pg_rewind makes it a standby); if it is meant, start this anew"
        }
    }
}
