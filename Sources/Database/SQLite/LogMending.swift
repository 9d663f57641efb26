import GRDBSQLite

extension SQLiteConnection {
    /// Copies the log into the file, waits for that, and empties the log; one in doubt is written anew before.
    /// - Throws: `SQLError.busy` while somebody reads who does not finish.
    func foldLog() throws {
        if log.isDoubtful { try rewriteLog() }
        let row: SQLRow?
        do { row = try one("PRAGMA wal_checkpoint(TRUNCATE)") } catch {
            doubt(error)
            throw error
        }
        // One row: whether a reader was in the way, and two counts of pages.
        guard try row?.integer("busy") == 0 else { throw SQLError.busy }
        (log.loose, log.isDoubtful) = (0, false)
    }

    /// What a start does with a log that it finds: whoever left it was killed, or did not get it into the file, and may have met a wait that failed. Nothing is
    /// to be committed behind what the disk may lack.
    /// - Throws: where the disk has not got all of the log. Where only its copying was in nobody's power, a full disk or somebody who reads, it stays.
    func foldLeftLog() throws {
        log.isDoubtful = true
        do { try foldLog() } catch SQLError.busy where !log.isDoubtful {} catch SQLError.diskFull where !log.isDoubtful {}
    }

    /// Writes the log over itself, as it is read here, and waits for that: then the disk has what the system has, and no hole.
    ///
    /// After a wait that failed the system takes pages for written that the disk may not have, and tells that once. It writes none of them again, however often
    /// somebody waits, until somebody changes them. Copied to the file as it is, such a log would be worse than lost: a power cut would leave the first part
    /// of it beside a file that is newer.
    private func rewriteLog() throws {
        // Another process would write into it meanwhile.
        try execute("BEGIN IMMEDIATE")
        defer { _ = try? execute("ROLLBACK") }
        if let file = logFile, let methods = file.pointee.pMethods?.pointee { try rewrite(file, methods) }
        try syncLog()
        (log.loose, log.isDoubtful) = (0, false)
    }

    private func rewrite(_ file: UnsafeMutablePointer<sqlite3_file>, _ methods: sqlite3_io_methods) throws {
        guard let measure = methods.xFileSize, let fetch = methods.xRead, let put = methods.xWrite else { return }
        var size: sqlite3_int64 = 0
        try must(measure(file, &size))
        let piece = UnsafeMutableRawPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
        defer { piece.deallocate() }
        var place: sqlite3_int64 = 0
        while place < size {
            let count = min(sqlite3_int64(Self.pieceLength), size - place)
            try must(fetch(file, piece, Int32(count), place))
            try must(put(file, piece, Int32(count), place))
            place += count
        }
    }

    private func must(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLError(sqlite: sqlite, code: code) }
    }

    private static let pieceLength = 1 << 16
}
