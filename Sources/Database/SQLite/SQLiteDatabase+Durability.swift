import GRDB

extension SQLiteDatabase {
    /// Sets what makes a commit durable, and reads it back.
    ///
    /// Only now: GRDB sets `synchronous` to NORMAL whenever it turns WAL mode on, after a configuration's own preparation.
    static func makeDurable(_ database: GRDB.Database, path: String) throws {
        try database.execute(sql: "PRAGMA synchronous = FULL")
        let wanted: [(pragma: String, value: String)] = [
            ("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"), ("secure_delete", "1"),
        ]
        for (pragma, value) in wanted {
            let found = try String.fetchOne(database, sql: "PRAGMA \(pragma)")
            guard found == value else {
                throw DatabaseOpenError.cannotOpen(path: path, reason: "\(pragma) is \(found ?? "unset"), not \(value)")
            }
        }
    }

    /// Reads the whole file through.
    static func check(_ database: GRDB.Database, path: String) throws {
        let finding = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
        guard finding == "ok" else { throw DatabaseOpenError.corrupt(path: path, reason: finding ?? "no answer to quick_check") }
        // Pages that it has read, of which few are asked for again soon.
        database.releaseMemory()
    }
}

extension Configuration {
    /// What every connection has: foreign keys, overwritten deletions, no trust in functions that a damaged schema names.
    static func base() -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        // A failed ROLLBACK is reported by us; the framework would stop the process instead.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            // What a statement sets aside stays in memory: no secret in a file elsewhere, and no file made and removed at every login.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }

    static func writer() -> Configuration {
        var configuration = base()
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            // Before anything is read of it: whatever refuses the file from now on leaves the log beside it as it was.
            try SQLiteConnection.leaveLog(true, to: database.sqliteConnection)
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    static func reader() -> Configuration {
        var configuration = base()
        configuration.readonly = true
        return configuration
    }

    /// Seconds that a connection waits for another process that holds the file: less than anybody waits for an answer, also behind another that waits.
    private static let busyTimeout = 2.0
}
