import GRDB

/// Everybody's entries, in one SQLite file. Each call is one transaction, which runs alone, and is durable when it returns.
struct TimesheetStore: Sendable {
    private let queue: DatabaseQueue

    /// - Parameter path: of the file, which is made where there is none.
    init(path: String) throws {
        var configuration = Configuration()
        // For another process at the same file.
        configuration.busyMode = .timeout(5)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("entries") { database in
            try database.execute(
                sql: """
                    CREATE TABLE entry (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, employee TEXT NOT NULL, date TEXT NOT NULL, project TEXT NOT NULL,
                        quarters INTEGER NOT NULL CHECK (quarters BETWEEN 1 AND 96), author TEXT NOT NULL, reference TEXT NOT NULL,
                        approvedBy TEXT CHECK (approvedBy <> employee), UNIQUE (author, reference)) STRICT;
                    CREATE INDEX entryOfEmployee ON entry (employee, id);
                    CREATE INDEX entryOfDay ON entry (employee, date);
                    CREATE INDEX entryThatWaits ON entry (id) WHERE approvedBy IS NULL;
                    """)
        }
        try migrator.migrate(queue)
    }

    /// Of one person, up to one more than a page has.
    func entries(of person: String, after id: Int64) async throws -> [Entry] {
        try await queue.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM entry WHERE employee = ? AND id > ? ORDER BY id LIMIT ?",
                arguments: [person, id, EntryPage.most + 1]
            ).map(Entry.init)
        }
    }

    /// What a manager could approve: of others, and not approved yet.
    func waiting(for manager: String, after id: Int64) async throws -> [Entry] {
        try await queue.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM entry WHERE approvedBy IS NULL AND employee <> ? AND id > ? ORDER BY id LIMIT ?",
                arguments: [manager, id, EntryPage.most + 1]
            ).map(Entry.init)
        }
    }

    /// An entry of a person by themself, and whether it is there only now.
    /// - Throws: ``Fault/referenceTaken(row:)``, ``Fault/dayFull(row:)``.
    func add(_ draft: EntryDraft, of person: String) async throws -> (entry: Entry, isNew: Bool) {
        try await queue.write { database in
            let isNew = try database.add(EntryUpload.Row(employee: person, draft: draft), by: person, number: nil)
            guard let entry = try database.entry(draft.reference, by: person) else { throw Fault.unknownEntry }
            return (entry, isNew)
        }
    }

    /// All entries of an upload, or none of them: a fault undoes those before it.
    /// - Throws: ``Fault/referenceTaken(row:)``, ``Fault/dayFull(row:)``.
    func add(_ upload: EntryUpload, by author: String) async throws -> UploadOutcome {
        try await queue.write { database in
            var added = 0
            for (index, row) in upload.rows.enumerated() {
                if try database.add(row, by: author, number: index + 1) { added += 1 }
            }
            return UploadOutcome(added: added, known: upload.rows.count - added)
        }
    }

    /// Approves an entry of somebody else. Of two managers at once one does, and the other hears of it; who asks again hears the same again.
    /// - Returns: the entry, and whether it was approved only now.
    /// - Throws: ``Fault/unknownEntry``, ``Fault/ownEntry``, ``Fault/approvedAlready``.
    func approve(_ id: Int64, by manager: String) async throws -> (entry: Entry, isNew: Bool) {
        try await queue.write { database in
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id])
            guard let found = rows.first.map(Entry.init) else { throw Fault.unknownEntry }
            guard !found.employee.isSame(as: manager) else { throw Fault.ownEntry }
            if let first = found.approvedBy {
                guard first.isSame(as: manager) else { throw Fault.approvedAlready }
                return (found, false)
            }
            try database.execute(sql: "UPDATE entry SET approvedBy = ? WHERE id = ?", arguments: [manager, id])
            return (Entry(found, approvedBy: manager), true)
        }
    }
}
