import CSQLiteClose
import GRDBSQLite

extension SQLiteConnection {
    /// Copies the log into the file, waits for that, and empties the log; one in doubt is written anew before, and after that there is none.
    /// - Throws: `SQLError.busy` while somebody reads who does not finish.
    func foldLog() throws {
        if log.isDoubtful {
            try rewriteLog()
            // The disk has all of it that counts, and nothing that was told to have failed: it may stay a log for as long as somebody reads.
            (log.loose, log.isDoubtful) = (0, false)
        }
        do {
            // One row: whether a reader was in the way, and two counts of pages.
            guard try one("PRAGMA wal_checkpoint(TRUNCATE)")?.integer("busy") == 0 else { throw SQLError.busy }
        } catch {
            doubt(error)
            throw error
        }
        log.loose = 0
    }

    /// What a start does with a log that it finds: whoever left it was killed, or did not get it into the file, and may have met a wait that failed. Nothing is
    /// to be committed behind what the disk may lack.
    ///
    /// Where that is in nobody's power now, for a full disk, the log stays in doubt: it can be read, and each commit tries again. Where only its copying is not,
    /// for somebody who reads, it is whole on the disk.
    /// - Throws: where the disk has not got all of the log.
    func foldLeftLog() throws {
        log.isDoubtful = true
        do { try foldLog() } catch SQLError.busy {} catch SQLError.diskFull {}
    }

    /// What a stop does. A log that cannot be copied now is left as it is, for the next start: copied by SQLite's own way of closing, which tells nobody
    /// of a wait that failed, what the disk may lack would be beside a newer file.
    func foldLastLog() {
        sqlite3_busy_timeout(sqlite, 0)
        guard (try? foldLog()) != nil else { return }
        try? Self.leaveLog(false, to: sqlite)
    }

    /// Whether SQLite leaves the log as it is when the last connection is closed.
    static func leaveLog(_ leaves: Bool, to sqlite: OpaquePointer?) throws {
        guard ostiary_leave_log(sqlite, leaves ? 1 : 0) == SQLITE_OK else {
            throw SQLError.fault(code: Int(SQLITE_ERROR), message: "SQLite does not take up what becomes of the log when it is closed")
        }
    }

    /// Writes the log over itself, as it is read here, and waits for that: then the disk has what the system has, and no hole.
    ///
    /// After a wait that failed the system takes pages for written that the disk may not have, and tells that once. It writes none of them again, however often
    /// somebody waits, until somebody changes them. Copied to the file as it is, such a log would be worse than lost: a power cut would leave the first part
    /// of it beside a file that is newer. Where the system has given pages up and reads old ones, nothing is written: the checksums do not go on there.
    private func rewriteLog() throws {
        // Another process would write into it meanwhile.
        try execute("BEGIN IMMEDIATE")
        defer { _ = try? execute("ROLLBACK") }
        if let extent = try LogExtent(of: sqlite), extent.frames > 0, let frames = LogFrames(of: self, to: extent) {
            try frames.read(writing: false)
            try frames.cut(at: frames.read(writing: true))
        }
        try syncLog()
    }
}
