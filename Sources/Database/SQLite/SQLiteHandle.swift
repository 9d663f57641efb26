import GRDB
import GRDBSQLite

/// A connection and the queue that keeps its users apart.
///
/// `@unchecked`: the connection is made, used and dropped on the queue only.
final class SQLiteHandle: @unchecked Sendable {
    private let queue: DatabaseQueue
    private var connection: SQLiteConnection?

    /// - Parameter waits: whether a statement holds its thread while another process has the file, for as long as the configuration says; otherwise it is
    ///   refused at once (``SQLError/busy``).
    init(_ queue: DatabaseQueue, waits: Bool = true) {
        self.queue = queue
        connection = queue.unsafeRead { database in
            if !waits { sqlite3_busy_timeout(database.sqliteConnection, 0) }
            return SQLiteConnection(database)
        }
    }

    /// Runs `body` in a transaction that sees one state and is never committed, on the calling thread.
    func read<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try queue.unsafeRead { _ in
            guard let connection else { throw SQLError.closed }
            connection.mayWrite = false
            try connection.execute("BEGIN DEFERRED")
            defer { if connection.isInTransaction { _ = try? connection.execute("ROLLBACK") } }
            return try body(connection)
        }
    }

    /// The rows of one statement that reads, on the calling thread: a transaction of its own, which needs no word to begin and to end.
    func rows(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        try queue.unsafeRead { _ in
            guard let connection else { throw SQLError.closed }
            connection.mayWrite = false
            return try connection.query(sql, arguments)
        }
    }

    /// Runs `work` later, on the queue. A closed handle gives nil.
    func schedule(_ work: @escaping @Sendable (SQLiteConnection?) -> Void) {
        queue.asyncWriteWithoutTransaction { _ in
            self.connection?.mayWrite = true
            work(self.connection)
        }
    }

    /// Sees to a log that another process has left, at a start: nobody else has the connection yet.
    func foldLeftLog() throws {
        try queue.writeWithoutTransaction { _ in
            connection?.mayWrite = true
            try connection?.foldLeftLog()
        }
    }

    /// Makes another database hold what this one holds, and nothing else.
    func copy(to other: DatabaseQueue) throws { try queue.backup(to: other) }

    /// Waits until the work that was scheduled before is done.
    func wait() {
        queue.unsafeRead { _ in }
    }

    /// Waits for its turn and closes the connection.
    /// - Parameter folds: whether it sees to the log before.
    func close(folding folds: Bool = false) {
        queue.unsafeReentrantWrite { _ in
            connection?.mayWrite = folds
            if folds { connection?.foldLastLog() }
            connection?.letGo()
            connection = nil
        }
        // Fails only while a statement is in use, and none is left: then the descriptor goes when the queue goes.
        try? queue.close()
    }
}
