import OstiaryTesting
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
