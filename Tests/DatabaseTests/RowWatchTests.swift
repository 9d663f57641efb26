import OstiaryTesting
import Synchronization
import Testing

@testable import Database

@Suite("Rows that are watched", .timeLimit(.minutes(10)))
struct RowWatchTests {
    private static let schema = [
        Migration(1, "items") { d in
            [
                "CREATE TABLE owner (id \(d.blob) NOT NULL PRIMARY KEY) \(d.tableOptions)",
                """
                CREATE TABLE item (
                    id \(d.blob) NOT NULL PRIMARY KEY, code \(d.integer) UNIQUE, owner \(d.blob) REFERENCES owner (id) ON DELETE CASCADE
                ) \(d.tableOptions)
                """,
                "CREATE TABLE lean (number \(d.integer), name \(d.blob) NOT NULL, PRIMARY KEY (number, name)) \(d.keyedTableOptions)",
                "CREATE TABLE other (id \(d.integer)) \(d.tableOptions)",
            ]
        }
    ]
    private static let watched = [WatchedRows("item", named: "id"), WatchedRows("lean", named: "name")]
    private static let onSQLite = [Backend.file, .memory]

    /// Statements in their order, and the rows that each changes.
    private static let changes: [(String, [String])] = [
        ("INSERT INTO owner (id) VALUES (x'aa')", []),
        ("INSERT INTO item (id, code, owner) VALUES (x'01', 1, x'aa'), (x'02', 2, NULL)", ["item 1", "item 2"]),
        ("INSERT INTO item (id, code) VALUES (x'01', 7) ON CONFLICT (id) DO NOTHING", []),
        ("INSERT INTO item (id, code) VALUES (x'01', 7) ON CONFLICT (id) DO UPDATE SET code = excluded.code", ["item 1"]),
        ("UPDATE item SET code = 8 WHERE code = 7", ["item 1"]), ("UPDATE item SET code = 9 WHERE code = 7", []),
        ("UPDATE item SET id = x'03' WHERE code = 2", ["item 2", "item 3"]),
        ("REPLACE INTO item (id, code) VALUES (x'04', 2)", ["item 3", "item 4"]),
        ("WITH gone AS (SELECT x'04' AS id) DELETE FROM item WHERE id IN (SELECT id FROM gone) RETURNING code", ["item 4"]),
        ("DELETE FROM owner", ["item 1"]), ("INSERT INTO lean (number, name) VALUES (1, x'05'), (2, x'05'), (3, x'06')", ["lean 5", "lean 6"]),
        ("UPDATE lean SET name = x'07' WHERE number = 2", ["lean 5", "lean 7"]), ("INSERT INTO other (id) VALUES (1)", []),
        ("DELETE FROM lean", ["lean 5", "lean 6", "lean 7"]), ("DELETE FROM other", []), ("SELECT id FROM item", []),
    ]

    /// Hears, and is asked what it heard.
    private final class Listener: RowWatcher {
        private let heard = Mutex<[String]>([])
        private let look: @Sendable (String) -> Void

        init(_ look: @Sendable @escaping (String) -> Void = { _ in }) { self.look = look }

        /// What was heard since it was asked last.
        func take() -> [String] {
            heard.withLock { heard in
                defer { heard = [] }
                return heard
            }
        }

        func rowChanges(_ name: [UInt8], in table: String) { note("\(table) \(name.map(String.init).joined(separator: " "))") }
        func changesEnded() { note("ended") }
        func watchEnded() { note("over") }

        private func note(_ word: String) {
            heard.withLock { $0.append(word) }
            look(word)
        }
    }

    private func withDatabase(_ backend: Backend, _ body: (any Database) async throws -> Void) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate(Self.schema)
            try await body(database)
        }
    }

    @Test(
        "Whatever statement changes a row that is watched, its name is heard, and after all of them that the transaction has ended",
        arguments: onSQLite)
    func statements(backend: Backend) async throws {
        try await withDatabase(backend) { (database) async throws in
            let listener = Listener()
            // Statements that were compiled before somebody watched are heard of as well.
            for (statement, _) in Self.changes { try await database.transaction { _ = try $0.query(statement, []) } }
            #expect(try await database.watch(Self.watched, by: listener))
            for (statement, rows) in Self.changes {
                try await database.transaction { _ = try $0.query(statement, []) }
                let heard = listener.take()
                #expect(Set(heard.dropLast()) == Set(rows), "\(statement)")
                #expect(heard.last == (rows.isEmpty ? nil : "ended") && heard.filter { $0 == "ended" }.count <= 1, "\(statement)")
            }
        }
    }

    @Test("A change is heard before anybody can read it, its end when everybody can, and only then is its caller told")
    func order() async throws {
        try await withDatabase(.file) { (database) async throws in
            let seen = Mutex<[String]>([])
            let isTold = Mutex(false)
            let listener = Listener { word in
                let count = database.rowsAtOnce("SELECT id FROM item", [])?.count
                seen.withLock { $0.append("\(word): \(count.map(String.init) ?? "nobody knows")\(isTold.withLock(\.self) ? ", told" : "")") }
            }
            _ = try await database.watch(Self.watched, by: listener)
            try await database.transaction { try $0.execute("INSERT INTO item (id) VALUES (x'01')") }
            isTold.withLock { $0 = true }
            #expect(seen.withLock(\.self) == ["item 1: 0", "ended: 1"])
            #expect(listener.take() == ["item 1", "ended"])
        }
    }

    @Test("What was taken back is heard of like what was kept: a body that throws, and one that ends the transaction of all", arguments: onSQLite)
    func takenBack(backend: Backend) async throws {
        try await withDatabase(backend) { (database) async throws in
            let listener = Listener()
            _ = try await database.watch(Self.watched, by: listener)
            await #expect(throws: Refused(number: 1)) {
                try await database.transaction { connection in
                    try connection.execute("INSERT INTO item (id) VALUES (x'01')")
                    throw Refused(number: 1)
                }
            }
            #expect(listener.take() == ["item 1", "ended"])
            await #expect(throws: SQLError.self) {
                try await database.transaction { connection in
                    try connection.execute("INSERT INTO item (id) VALUES (x'02')")
                    try connection.execute("ROLLBACK")
                }
            }
            #expect(listener.take() == ["item 2", "ended"])
            #expect(try await database.read { try $0.query("SELECT id FROM item").isEmpty })
        }
    }

    @Test("A commit that the system refuses to write is heard of as ended, too")
    func refusedCommit() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(Self.schema)
        let listener = Listener()
        _ = try await database.watch(Self.watched, by: listener)
        let log = try RefusingFile(folder.databasePath + "-wal")
        try log.refuse()
        await #expect(throws: SQLError.self) { try await database.transaction { try $0.execute("INSERT INTO item (id) VALUES (x'01')") } }
        #expect(listener.take() == ["item 1", "ended"])
        try log.allow()
        try await database.transaction { try $0.execute("INSERT INTO item (id) VALUES (x'01')") }
        #expect(listener.take() == ["item 1", "ended"])
        try await database.close()
    }

    @Test("Where tables become others, whoever watches hears that it is over, before; who comes afterwards hears of the new ones")
    func otherTables() async throws {
        try await withDatabase(.file) { (database) async throws in
            let (first, second) = (Listener(), Listener())
            _ = try await database.watch(Self.watched, by: first)
            let statements = database.dialect.rebuilt("lean", "number INTEGER, name BLOB NOT NULL, PRIMARY KEY (number, name)")
            try await database.transaction { connection in
                try connection.execute("INSERT INTO lean (number, name) VALUES (1, x'01')")
                for statement in statements { try connection.execute(statement) }
            }
            #expect(first.take() == ["lean 1", "over"])
            _ = try await database.watch(Self.watched, by: second)
            try await database.transaction { try $0.execute("DELETE FROM lean") }
            #expect(second.take() == ["lean 1", "ended"])
            #expect(first.take().isEmpty)
        }
    }

    @Test("Several watch one database, and each hears of its own rows; nobody is kept alive by it, and what is watched is in no file")
    func several() async throws {
        try await withDatabase(.file) { (database) async throws in
            let kept = Listener()
            var gone: Listener? = Listener()
            let isThere = { [weak gone] in gone != nil }
            _ = try await database.watch(Self.watched, by: try #require(gone))
            _ = try await database.watch([Self.watched[1]], by: kept)
            gone = nil
            try await database.transaction { try $0.execute("INSERT INTO item (id) VALUES (x'02')") }
            #expect(kept.take().isEmpty)
            try await database.transaction { try $0.execute("INSERT INTO lean (number, name) VALUES (1, x'01')") }
            #expect(kept.take() == ["lean 1", "ended"])
            #expect(!isThere())
            #expect(try await database.read { try $0.query("SELECT name FROM sqlite_schema WHERE type = 'trigger'").isEmpty })
        }
    }

    @Test("Who watches a database that is closed hears that it is over before another process may have it")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(Self.schema)
        let listener = Listener()
        _ = try await database.watch(Self.watched, by: listener)
        try await database.close()
        #expect(listener.take() == ["over"])
        await #expect(throws: SQLError.closed) { try await database.watch(Self.watched, by: listener) }
    }

    @Test("Where other processes may write nobody is told, and says so: beside a server, and on PostgreSQL")
    func shared() async throws {
        let folder = try TemporaryFolder()
        let server = try SQLiteDatabase.open(path: folder.databasePath)
        try await server.migrate(Self.schema)
        let beside = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared)
        #expect(try await beside.watch(Self.watched, by: Listener()) == false)
        #expect(try await server.watch(Self.watched, by: Listener()))
        try await beside.close()
        try await server.close()
        guard PostgreSQLCluster.isInstalled else { return }
        try await withDatabase(.postgresql) { (database) async throws in
            #expect(try await database.watch(Self.watched, by: Listener()) == false)
        }
    }
}
