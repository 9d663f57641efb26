import Synchronization

/// Whether a COMMIT was not answered in time, and nobody has seen since that they end again.
///
/// The server goes on waiting at such a commit, for a standby or its disk, also when nobody here waits any more, and each holds one of its connections.
/// So while there are some no write is begun that would be one more: it is refused. Nothing is committed to find out when that is over: the server
/// itself says at which commits it still is.
final class UnansweredCommits: Sendable {
    private let isAny = Mutex(false)

    var areSuspected: Bool { isAny.withLock { $0 } }

    func note() { isAny.withLock { $0 = true } }
    func forget() { isAny.withLock { $0 = false } }

    /// Throws if the server is at a commit for nearly as long as one waits for its answer, whoever asked for it: it begins later there, by the way to it.
    /// - Parameter milliseconds: how long one waits.
    /// - Throws: ``SQLError/commitsUnanswered(standbys:)``, ``SQLError``.
    static func check(on connection: any SQLConnection, silence milliseconds: Int) throws {
        guard let row = try connection.one(question, [age(milliseconds)]), try row.int("found") > 0 else { return }
        // Who waits for a disk waits for no standby.
        throw SQLError.commitsUnanswered(standbys: try row.int("following") > 0 ? try row.text("names") : nil)
    }

    /// The names of the standbys for which the server is at a commit for nearly that long; nil when it is at none that waits for one.
    /// - Throws: ``SQLError``.
    static func awaited(on connection: any SQLConnection, silence milliseconds: Int) throws -> String? {
        guard let row = try connection.one(question, [age(milliseconds)]), try row.int("following") > 0 else { return nil }
        return try row.text("names")
    }

    private static func age(_ milliseconds: Int) -> SQLValue { SQLValue(milliseconds * 3 / 4) }

    /// Seen are the commits of this role, which all nodes have.
    private static let question = """
        SELECT COUNT(*) AS found, COUNT(*) FILTER (WHERE wait_event = 'SyncRep') AS following,
        current_setting('synchronous_standby_names') AS names
        FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND state = 'active' AND upper(query) LIKE 'COMMIT%' AND query_start < clock_timestamp() - $1 * interval '1 millisecond'
        """
}
