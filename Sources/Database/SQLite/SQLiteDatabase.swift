import Synchronization

/// SQLite in WAL mode: one grouped writer, several readers, every hard commit on stable storage before its caller hears of it.
package final class SQLiteDatabase: Database {
    package let dialect = SQLDialect.sqlite
    package let isShared: Bool
    let writer: SQLiteWriter
    let source: ReadSource
    /// The file; nil in memory.
    private let path: String?
    /// The files that the connections have open, by their names.
    private let files = Mutex<[String: FileIdentity]>([:])
    /// Held until the connections are closed.
    private let lock: Mutex<ProcessLock?>
    private let findings = Mutex(Findings())
    /// Of the target of a move: what was there before.
    private let formerPlace: TargetPlace?

    /// What calls found of the file.
    private struct Findings {
        /// Then it is read through at the next start, however this one ends.
        var isDoubtful = false
        /// The first one that says so: later answers of the same file are no better.
        var damage: SQLError?
    }

    /// Where reads go: to connections of their own, or, in memory, to the only one.
    enum ReadSource: Sendable {
        case readers(SQLiteReaders)
        case onlyConnection(SQLiteHandle)
    }

    init(writer: SQLiteHandle, source: ReadSource, path: String? = nil, lock: ProcessLock?, formerPlace: TargetPlace? = nil) {
        self.writer = SQLiteWriter(writer)
        self.source = source
        self.path = path
        self.formerPlace = formerPlace
        isShared = path != nil && lock == nil
        self.lock = Mutex(lock)
        for name in path.map({ [$0, $0 + "-wal"] }) ?? [] { files.withLock { $0[name] = FileIdentity(of: name) } }
    }

    package var place: String { path ?? "in memory" }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await noting {
            switch source {
            case .readers(let readers): try await readers.read(body)
            case .onlyConnection(let handle): try handle.read(body)
            }
        }
    }

    package var readsAtOnce: Bool { true }

    /// What is found wrong with the file is not noted here: whoever gets nothing asks ``read(_:)``, which finds it, too.
    package func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]? {
        switch source {
        case .readers(let readers): readers.rowsAtOnce(sql, arguments)
        case .onlyConnection(let handle): try? handle.rows(sql, arguments)
        }
    }

    @discardableResult
    package func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await transaction(.hard, body)
    }

    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await noting { try await writer.transaction(durability, body) }
    }

    package func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws -> Bool {
        guard !isShared else { return false }
        try await noting { try await writer.watch(rows, by: watcher) }
        return true
    }

    /// The lock file is asked and not the database file, of which no descriptor may be closed while SQLite has it open.
    package var hasServerBeside: Bool { isShared && path.map { FileLock.isHeld($0 + ".lock") } == true }

    private func noting<Value>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let error as SQLError where error.isDoubt {
            let damage = error.damage(of: path ?? "in memory")
            findings.withLock { findings in
                findings.isDoubtful = true
                findings.damage = findings.damage ?? damage
            }
            throw damage ?? error
        }
    }

    package func purge() async throws { try await noting { try await writer.purge() } }

    /// Whoever holds a table holds the file.
    package func checkWritable(_ tables: Set<String>) async throws {
        guard let path else { return }
        try FileSizeLimit.check(path)
        try DiskProbe.write(beside: path)
        // Nothing is written by it; it waits for whoever holds the database.
        try await transaction(.soft) { _ in }
        try checkInPlace()
    }

    /// What another file has taken the place of goes on being read and written, and is gone with the process.
    package func checkInPlace() throws(SQLError) {
        if let damage = findings.withLock({ $0.damage }) { throw damage }
        guard let path else { return }
        for name in [path, path + "-wal"] {
            let found = FileIdentity(of: name)
            let isSame = files.withLock { files in
                // The log is there from the first commit on.
                if files[name] == nil { files[name] = found }
                return files[name] == found
            }
            guard isSame else { throw .replaced(path: name) }
        }
    }

    private func isInPlace(_ path: String) -> Bool { FileIdentity(of: path) == files.withLock { $0[path] } }

    package func close() async throws {
        let unused = await isUnusedTarget() ? formerPlace : nil
        // Readers first: the writer folds the log into the file when nobody reads, and removes it. A command leaves that to the server beside it.
        if case .readers(let readers) = source { await readers.close() }
        writer.close(folding: !hasServerBeside)
        lock.withLock { lock in
            // Of a file that took the place of the one that was open nobody here knows anything.
            if let path, isInPlace(path), !findings.withLock({ $0.isDoubtful }) {
                if let unused, let lock { unused.restore(under: lock) } else if let stop = CleanStop(of: path) { lock?.note(stop.text) }
            }
            lock = nil
        }
    }

    /// Whether a move has it open to fill it, and has made nothing in it.
    private func isUnusedTarget() async -> Bool {
        guard formerPlace != nil else { return false }
        return (try? await read { connection in try connection.madeNames(.sqlite).isEmpty }) ?? false
    }
}
