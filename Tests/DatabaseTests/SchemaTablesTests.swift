import OstiaryTesting
import Synchronization
import Testing

@testable import Database

@Suite("Tables that a schema has", .timeLimit(.minutes(5)))
struct SchemaTablesTests {
    /// A table made anew under its name, one that went, one that got another name, and one of a step that may not be there yet.
    private static let steps = [
        Migration(1, "tables") { d in
            ["a", "b", "c"].map { "CREATE TABLE \($0) (id \(d.integer) NOT NULL PRIMARY KEY) \(d.tableOptions)" }
        },
        Migration(2, "lean") { d in
            d.rebuilt("a", "id \(d.integer) NOT NULL PRIMARY KEY") + ["DROP TABLE b", "ALTER TABLE c RENAME TO d"]
        },
        Migration(3, "later", mayWait: true) { d in ["CREATE TABLE e (id \(d.integer) NOT NULL PRIMARY KEY) \(d.tableOptions)"] },
    ]

    @Test("They are read from the statements of the steps, each with the step that made it")
    func read() {
        #expect(SchemaTables(after: Self.steps).steps == ["a": 1, "d": 2, "e": 3])
        #expect(SchemaTables(after: []).names.isEmpty)
        let some = SchemaTables(after: Self.steps, ofStarts: ["d"])
        #expect(some.names == ["a", "d", "e"] && some.written == ["a", "e"])
    }

    @Test("One that is gone and that nobody asks for is told by its name, and no other is", arguments: Backend.allCases)
    func gone(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let tables = SchemaTables(after: sampleSchema)
            try await database.check(tables)
            try await database.transaction { try $0.execute("ALTER TABLE note RENAME TO noted") }
            let error = await #expect(throws: SQLError.tableMissing(path: database.place, name: "note")) { try await database.check(tables) }
            #expect(error?.description.contains("is not there in the database \(database.place) (note), which was made anew") == true)
            await #expect(throws: SQLError.tableMissing(path: database.place, name: "note")) { try await database.checkStorage(of: tables) }
            try await database.transaction { try $0.execute("ALTER TABLE noted RENAME TO note") }
            try await database.checkStorage(of: tables)
        }
    }

    @Test("Their statements are read once for the steps that a database has, and not at each look; of other steps or another engine anew")
    func readOnce() throws {
        let asked = Asked()
        let steps = Self.keyed.map { step in
            Migration(step.number, step.name) { dialect in
                asked.count.withLock { $0 += 1 }
                return step.statements(dialect)
            }
        }
        let tables = SchemaTables(after: steps + [Migration(2, "less") { _ in ["DROP INDEX owner_place"] }])
        let begun = asked.count.withLock { $0 }
        let first = try #require(tables.indexes(after: [1], .sqlite))
        for _ in 0..<3 { #expect(tables.indexes(after: [1], .sqlite) == first) }
        #expect(asked.count.withLock { $0 } == begun + 1)
        #expect(first.named["owner_place"] != nil && tables.indexes(after: [1, 2], .sqlite)?.named.isEmpty == true)
        _ = tables.indexes(after: [1], .postgresql)
        #expect(asked.count.withLock { $0 } == begun + 3)
        #expect(tables.indexes(after: [1, 2, 3], .sqlite) == nil)
        #expect(tables.indexes(after: [1], .sqlite) == first)
    }

    private final class Asked: Sendable {
        let count = Mutex(0)
    }

    private static let keyed = [
        Migration(1, "keyed") { d in
            [
                "CREATE TABLE owner (id \(d.integer) NOT NULL PRIMARY KEY, place \(d.integer) NOT NULL) \(d.tableOptions)",
                "CREATE UNIQUE INDEX owner_place ON owner (place)",
            ]
        }
    ]

    @Test(
        "An index gone beneath a program is an outage of what needs it, told by its name and with what makes it, as by a start; made again it is good",
        arguments: Backend.allCases)
    func indexGone(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            let tables = SchemaTables(after: Self.keyed)
            try await database.migrate(Self.keyed)
            let add: @Sendable (any SQLConnection) throws -> Void = {
                try $0.write("INSERT INTO owner (id, place) VALUES (1, 2) ON CONFLICT (place) DO UPDATE SET id = excluded.id", [])
            }
            // The second time it is ready.
            for _ in 0..<2 { try await database.transaction(add) }
            try await database.checkStorage(of: tables)
            try await database.transaction { try $0.execute("DROP INDEX owner_place") }
            for _ in 0..<2 { await #expect(throws: SQLError.indexMissing(path: database.place)) { try await database.transaction(add) } }
            let making = "CREATE UNIQUE INDEX owner_place ON owner (place)"
            let words = "the index owner_place of owner: \(making)"
            let gone = SQLError.indexMissing(path: database.place, lacking: [words])
            for _ in 0..<2 { await #expect(throws: gone) { try await database.checkStorage(of: tables) } }
            let start = await #expect(throws: DatabaseOpenError.missingIndexes([words])) { try await database.migrate(Self.keyed) }
            #expect(start?.description.contains("has not all that its schema has (\(words)): it was restored in part") == true)
            #expect(gone.description.contains("has not all that its schema has (\(words)): it was restored in part"), "\(gone)")
            #expect(gone.description.hasSuffix("; a server that runs goes on by itself"), "\(gone)")
            // A later program has the word.
            try await database.transaction { try $0.execute("INSERT INTO schema_version (number, name) VALUES (2, 'of a later program')") }
            try await database.check(tables)
            try await database.transaction { try $0.execute("DELETE FROM schema_version WHERE number = 2") }
            try await database.transaction { try $0.execute(making) }
            try await database.transaction(add)
            try await database.checkStorage(of: tables)
            try await database.migrate(Self.keyed)
        }
    }

    @Test("The key of a file's table that was made anew without it is told by its name, for which there is no statement, before what has one")
    func keyGone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(Self.keyed)
        let tables = SchemaTables(after: Self.keyed)
        let adds = ["DO NOTHING", "DO UPDATE SET place = excluded.place"].map { "INSERT INTO owner (id, place) VALUES (1, 2) ON CONFLICT (id) \($0)" }
        // One of them is known before.
        try await database.transaction { try $0.write(adds[0], []) }
        try await Self.run(["ALTER TABLE owner RENAME TO kept", "CREATE TABLE owner AS SELECT * FROM kept"], in: path)
        let words = ["the primary key of owner", "the index owner_place of owner: CREATE UNIQUE INDEX owner_place ON owner (place)"]
        await #expect(throws: SQLError.indexMissing(path: database.place, lacking: words)) { try await database.check(tables) }
        for add in adds {
            await #expect(throws: SQLError.indexMissing(path: database.place)) { try await database.transaction { try $0.write(add, []) } }
        }
        try await Self.run(["DROP TABLE owner", "ALTER TABLE kept RENAME TO owner"], in: path)
        // Nothing else has this connection look at the schema.
        for add in adds { try await database.transaction { try $0.write(add, []) } }
        try await database.check(tables)
        try await database.close()
        withExtendedLifetime(folder) {}
    }

    /// As somebody does at a prompt.
    private static func run(_ statements: [String], in path: String) async throws {
        let prompt = try SQLiteDatabase.open(path: path, ownership: .shared, readers: 1)
        for statement in statements { try await prompt.transaction { try $0.execute(statement) } }
        try await prompt.close()
    }

    @Test("Of a step that was not taken, or that this program does not know, no table is missed", arguments: Backend.allCases)
    func otherSteps(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate(Array(Self.steps.prefix(2)))
            let all = SchemaTables(after: Self.steps)
            try await database.check(all)
            try await database.migrate(Self.steps)
            if try await database.schemaVersion() < 3 { try await database.migrate(Self.steps, takesWaiting: true) }
            try await database.check(all)
            try await database.transaction { try $0.execute("DROP TABLE e") }
            await #expect(throws: SQLError.tableMissing(path: database.place, name: "e")) { try await database.check(all) }
            // A later program has the word.
            try await database.transaction { try $0.execute("INSERT INTO schema_version (number, name) VALUES (4, 'of a later program')") }
            try await database.check(all)
        }
    }
}
