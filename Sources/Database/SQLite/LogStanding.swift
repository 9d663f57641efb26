import GRDBSQLite

/// What the one writer knows of its log: which commits of it the disk has, as far as somebody waited for that. What is done about one of which the disk may
/// lack a part is LogMending.swift.
///
/// Each commit is a row of frames at the end of the log, whose checksums go on from frame to frame: what a power cut leaves of those for which nobody has
/// waited ends at the first frame that is missing, so the last commits are gone, and none is there without those before it. A wait is for all that was
/// written to the file, whoever wrote it (docs/decisions/0063).
struct LogStanding {
    /// Transactions for which nobody has waited. One at the beginning: what another process has written, a server that has the file beside this one.
    var loose = 1
    /// Whether a wait or a write failed, since the log was written anew. The system may have given pages up of those for which nobody had waited, and says
    /// so only once: the next wait would be told that all is well, and what it was for would be lost with them. And the commit that failed is in the log
    /// yet, behind its end: it would be there again after a power cut.
    var isDoubtful = false
    /// What commits wait for now; nil while that is being changed.
    var durability: Durability? = .hard

    /// Of more than so many the next commit is a hard one, so that the log is copied to the file now and then.
    static let mostLoose = 256
    /// Pages in the log from which on a hard commit copies it to the file, as SQLite does it by default.
    static let mostPages: Int32 = 1000
}

extension SQLiteConnection {
    /// Begins a transaction whose commit waits for the disk, or does not.
    func begin(_ wanted: Durability) throws {
        if log.isDoubtful { do { try foldLog() } catch SQLError.busy where !log.isDoubtful {} catch SQLError.diskFull where !log.isDoubtful {} }
        try wait(log.loose >= LogStanding.mostLoose ? .hard : wanted)
        try execute("BEGIN IMMEDIATE")
    }

    /// Ends it. A hard one that has written nothing does not wait by itself: it waits for what it may have seen.
    /// - Parameter count: transactions that are in it.
    func commit(of count: Int) throws {
        let before = pagesWritten
        do {
            try execute("COMMIT")
            let hasWritten = pagesWritten != before
            guard log.durability == .hard else {
                if hasWritten { log.loose += count }
                return
            }
            if !hasWritten, log.loose > 0 { try syncLog() }
            log.loose = 0
        } catch {
            doubt(error)
            throw error
        }
    }

    /// A disk that is only full refuses the write, and nobody has waited.
    func doubt(_ error: any Error) {
        if (error as? SQLError)?.isDoubt != false { log.isDoubtful = true }
    }

    /// Sets what commits wait for, and reads it back. A soft one copies no log: the wait of that would be SQLite's own, which tells nobody when it fails.
    ///
    /// Not by statements that are kept: SQLite changes this while it compiles one, and a kept one would do nothing the second time.
    private func wait(_ durability: Durability) throws {
        guard durability != log.durability else { return }
        log.durability = nil
        let isHard = durability == .hard
        _ = try compiled("PRAGMA synchronous = \(isHard ? "FULL" : "NORMAL")")
        sqlite3_wal_autocheckpoint(sqlite, isHard ? LogStanding.mostPages : 0)
        guard try compiled("PRAGMA synchronous") == (isHard ? 2 : 1) else {
            throw SQLError.fault(code: Int(SQLITE_ERROR), message: "synchronous is not what was set")
        }
        log.durability = durability
    }

    /// Compiles a statement, runs it once, and gives the first number of its row.
    private func compiled(_ sql: String) throws -> Int32? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(sqlite, sql, -1, &statement, nil) == SQLITE_OK else { throw SQLError(sqlite: sqlite) }
        defer { sqlite3_finalize(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_int(statement, 0)
        case SQLITE_DONE: return nil
        default: throw SQLError(sqlite: sqlite)
        }
    }

    /// Waits until the disk has the log.
    func syncLog() throws {
        guard let file = logFile, let sync = file.pointee.pMethods?.pointee.xSync else { return }
        let code = sync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw SQLError(sqlite: sqlite, code: code) }
    }

    /// The log as SQLite has it open; one without methods where there is none, in memory.
    var logFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) { sqlite3_file_control(sqlite, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0) }
        return code == SQLITE_OK ? file : nil
    }

    /// Counts up with each page that goes into the log.
    private var pagesWritten: Int32 {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(sqlite, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 0)
        return current
    }
}
