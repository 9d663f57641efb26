import GRDBSQLite

/// Hears of each row that a connection writes, from SQLite itself: temporary triggers of that connection call a function of ours. So it hears of whatever
/// statement writes: of updates and upserts, of what a reference takes along, of a table that is emptied, and of statements that nobody has written yet.
///
/// The triggers lie in the memory of the connection; the file knows nothing of them. Used on the thread of the connection, as that is.
final class SQLiteRowWatch {
    private let connection: OpaquePointer?
    private var watched: [WatchedRows] = []
    private var watchers: [Watcher] = []
    /// Whether a transaction that has not ended wrote a row that is watched.
    private(set) var isUnsettled = false

    private struct Watcher {
        weak var object: (any RowWatcher)?
        /// Places in ``watched``.
        let numbers: [Int]
        /// Whether it heard of a change that has not ended.
        var isWaiting = false
    }

    init(on connection: OpaquePointer?) throws(SQLError) {
        self.connection = connection
        let known = sqlite3_create_function_v2(
            connection, Self.function, 2, SQLITE_UTF8, Unmanaged.passRetained(self).toOpaque(), hear, nil, nil,
            { if let watch = $0 { Unmanaged<SQLiteRowWatch>.fromOpaque(watch).release() } })
        guard known == SQLITE_OK else { throw SQLError(sqlite: connection) }
        // A row that another takes the place of (REPLACE) is told of, too.
        try run("PRAGMA recursive_triggers = ON")
    }

    func add(_ rows: [WatchedRows], for watcher: any RowWatcher) throws(SQLError) {
        for rows in rows where !watched.contains(rows) {
            for statement in Self.triggers(on: rows, number: watched.count) { try run(statement) }
            watched.append(rows)
        }
        watchers.removeAll { $0.object == nil }
        watchers.append(Watcher(object: watcher, numbers: rows.compactMap(watched.firstIndex(of:))))
    }

    /// A transaction that wrote has ended.
    func settle() {
        isUnsettled = false
        for index in watchers.indices where watchers[index].isWaiting {
            watchers[index].isWaiting = false
            watchers[index].object?.changesEnded()
        }
    }

    /// Tables or triggers may become others: a table that is dropped takes its triggers along, and nobody is told of its rows. Who comes later begins anew.
    func end() {
        for watcher in watchers { watcher.object?.watchEnded() }
        (watchers, watched) = ([], [])
    }

    fileprivate func changes(_ number: Int, _ name: OpaquePointer?) {
        guard watched.indices.contains(number), sqlite3_value_type(name) == SQLITE_BLOB else { return end() }
        isUnsettled = true
        let bytes = Array(UnsafeRawBufferPointer(start: sqlite3_value_blob(name), count: Int(sqlite3_value_bytes(name))))
        for index in watchers.indices where watchers[index].numbers.contains(number) {
            watchers[index].isWaiting = true
            watchers[index].object?.rowChanges(bytes, in: watched[number].table)
        }
    }

    private func run(_ sql: String) throws(SQLError) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw SQLError(sqlite: connection) }
    }

    private static let function = "ostiary_row_changes"

    private static func triggers(on rows: WatchedRows, number: Int) -> [String] {
        [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])].flatMap { change, names in
            let calls = names.map { "\(function)(\(number), \($0).\(rows.column))" }.joined(separator: ", ")
            let name = "watch_\(number)_\(change)"
            return [
                "DROP TRIGGER IF EXISTS temp.\(name)",
                "CREATE TEMP TRIGGER \(name) AFTER \(change) ON main.\(rows.table) BEGIN SELECT \(calls); END",
            ]
        }
    }
}

/// What the triggers call: which of the watched rows it is, and its name. Answers null.
private func hear(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard count == 2, let values, let watch = sqlite3_user_data(context) else { return }
    Unmanaged<SQLiteRowWatch>.fromOpaque(watch).takeUnretainedValue().changes(Int(sqlite3_value_int64(values[0])), values[1])
}
