import GRDB
import GRDBSQLite

/// One SQLite connection as the seam sees it. GRDB opens it and compiles statements; values cross over the C interface, without GRDB's row objects.
///
/// Used by one thread at a time: ``SQLiteHandle`` sees to that.
final class SQLiteConnection: SQLConnection {
    private let database: GRDB.Database
    /// What its commits wait for, if it writes.
    var log = LogStanding()
    private var prepared: [StatementText: PreparedStatement] = [:]
    /// Whether the body at work may change rows.
    var mayWrite = false
    /// Those who hear what this connection writes; nil where nobody asked.
    private var watch: SQLiteRowWatch?

    /// More texts than this means that statements are built at run time; then they are forgotten rather than kept for ever.
    private static let preparedLimit = 512

    init(_ database: GRDB.Database) {
        self.database = database
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        let statement = try statement(for: sql, arguments)
        defer { end(statement) }
        let before = sqlite3_total_changes(database.sqliteConnection)
        while try step(statement) {}
        return statement.isReadOnly || sqlite3_total_changes(database.sqliteConnection) == before
            ? 0 : Int(sqlite3_changes(database.sqliteConnection))
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let statement = try statement(for: sql, arguments)
        defer { end(statement) }
        var rows: [SQLRow] = []
        while try step(statement) {
            rows.append(statement.row())
        }
        return rows
    }

    var sqlite: OpaquePointer? { database.sqliteConnection }

    /// Whether a transaction is open.
    var isInTransaction: Bool {
        sqlite3_get_autocommit(database.sqliteConnection) == 0
    }

    /// Whether a reference that is checked at commit only is broken now.
    var hasBrokenReference: Bool {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current > 0
    }

    /// Tells `watcher` of changes of these rows. For between two transactions.
    func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) throws {
        let watch = try watch ?? SQLiteRowWatch(on: database.sqliteConnection)
        try watch.add(rows, for: watcher)
        // Each is looked at once more when it is compiled.
        prepared = [:]
        self.watch = watch
    }

    /// However a transaction ends, it ends by a statement.
    private func end(_ statement: PreparedStatement) {
        statement.reset()
        if let watch, watch.isUnsettled, !isInTransaction { watch.settle() }
    }

    /// Lets go of all statements, without which the connection cannot close. Whoever watched hears that it is over: from now on others may write.
    func letGo() {
        prepared = [:]
        watch?.end()
    }

    private func statement(for sql: String, _ arguments: [SQLValue]) throws -> PreparedStatement {
        let text = StatementText(sql)
        let statement = try prepared[text] ?? prepare(text)
        guard mayWrite || statement.isReadOnly else { throw SQLError.readOnly }
        guard statement.parameterCount == arguments.count else {
            throw SQLError.argumentCount(expected: statement.parameterCount, found: arguments.count)
        }
        try statement.bind(arguments) { throw SQLError(sqlite: database.sqliteConnection) }
        return statement
    }

    /// - Parameter isAgain: whether the schema was read anew for it.
    private func prepare(_ text: StatementText, isAgain: Bool = false) throws -> PreparedStatement {
        if prepared.count >= Self.preparedLimit { prepared = [:] }
        do {
            let statement = PreparedStatement(try database.makeStatement(sql: sqlitePlaceholders(text.sql)))
            if let watch, !statement.isReadOnly, !text.changesRowsOnly { watch.end() }
            prepared[text] = statement
            return statement
        } catch let error as GRDB.DatabaseError {
            let fault = SQLError(grdb: error, on: database.sqliteConnection)
            guard case .indexMissing = fault, !isAgain else { throw fault }
            readSchema()
            return try prepare(text, isAgain: true)
        }
    }

    /// Goes on to the next row; false after the last.
    /// - Parameter isAgain: whether the schema was read anew for it.
    private func step(_ statement: PreparedStatement, isAgain: Bool = false) throws -> Bool {
        switch sqlite3_step(statement.pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let fault = SQLError(sqlite: database.sqliteConnection)
            // It was not compiled, so nothing of it has begun.
            guard case .indexMissing = fault, !isAgain else { throw fault }
            readSchema()
            sqlite3_reset(statement.pointer)
            return try step(statement, isAgain: true)
        }
    }

    /// The schema as the file has it now. Where a statement misses a table SQLite looks by itself whether it knows the newest; where it misses a key it does
    /// not, and would go on missing one that another process has made again.
    private func readSchema() { sqlite3_exec(database.sqliteConnection, "SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil) }
}
