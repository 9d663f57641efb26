import OstiaryTesting
import Testing

@testable import Database
@testable import ostiary

/// The indexes of both servers' schemas, as a start on PostgreSQL looks for them.
@Suite("Indexes of the schemas", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct SchemaIndexTests {
    private struct Found: Sendable {
        let index: SchemaIndexes.Found
        let definition: String
    }

    private func found(in database: any Database) async throws -> [Found] {
        let catalogue = database.dialect.catalogue
        return try await database.read { connection in
            let all = try connection.query(catalogue.objects).map { try $0.text("name") }.joined(separator: ",")
            return try connection.query(catalogue.indexes, [.text(all)]).map { row in
                let name = try row.text("name")
                let definition = try connection.one("SELECT pg_get_indexdef(to_regclass($1)) AS text", [.text(name)])?.text("text")
                return Found(index: try SchemaIndexes.Found(row), definition: definition ?? "")
            }
        }
    }

    @Test(
        "All that the steps make is expected, nothing else is, and of each that is gone a start tells the name and what makes it",
        arguments: ServerKind.allCases)
    func bothWays(_ server: ServerKind) async throws {
        let steps = server.schema.migrations
        try await PostgreSQLDatabase.lend { database in
            for _ in 0..<2 { try await database.migrate(steps) }
            let found = try await found(in: database)
            let wanted = SchemaIndexes(after: steps.flatMap { $0.statements(.postgresql) })
            #expect(wanted.lacking(in: found.map(\.index)) == [])
            // Primary keys, UNIQUE of a definition, and what has a name.
            let others = found.filter { !$0.index.isKey && wanted.named[$0.index.name] == nil }
            #expect(others.count == wanted.tables.values.map(\.uniques.count).reduce(0, +) && others.allSatisfy(\.index.isUnique))
            let stepTables = Set(["schema_version", "schema_reader"])
            let keyed = Set(found.filter(\.index.isKey).map(\.index.table)).subtracting(stepTables)
            #expect(keyed == Set(wanted.tables.keys) && wanted.tables.values.allSatisfy { $0.key != nil })
            #expect(wanted.named.count + others.count + keyed.count + stepTables.count == found.count)
            for one in found where wanted.named[one.index.name] != nil {
                let index = one.index
                try await database.transaction { try $0.execute("DROP INDEX \"\(index.name)\"") }
                let statement = try #require(try await told(by: { try await database.migrate(steps) }, "the index \(index.name) of \(index.table): "))
                // What is told makes the one that was there.
                try await database.transaction { try $0.execute(statement) }
                #expect(try await self.found(in: database).contains { $0.index == index && $0.definition == one.definition })
            }
            try await database.migrate(steps)
        }
    }

    @Test(
        "So it is of each primary key and each UNIQUE: the statement that is told makes it again, of the same columns",
        arguments: ServerKind.allCases)
    func constraints(_ server: ServerKind) async throws {
        let steps = server.schema.migrations
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(steps)
            let named = SchemaIndexes(after: steps.flatMap { $0.statements(.postgresql) }).named
            let indexes = try await found(in: database).map(\.index).filter { $0.isKey || $0.isUnique && named[$0.name] == nil }
            #expect(!indexes.isEmpty && indexes.allSatisfy { !$0.columns.isEmpty })
            for index in indexes {
                // With what refers to it: nobody looks for that.
                try await database.transaction { try $0.execute("ALTER TABLE \"\(index.table)\" DROP CONSTRAINT \"\(index.name)\" CASCADE") }
                let beginning = "\(index.isKey ? "the primary key" : "a UNIQUE") of \(index.table): "
                let statement = try #require(try await told(by: { try await database.migrate(steps) }, beginning))
                try await database.transaction { try $0.execute(statement) }
                let again = try await found(in: database).map(\.index).filter { $0.table == index.table && $0.columns == index.columns }
                #expect(again.contains { $0.isKey == index.isKey && $0.isUnique && $0.isValid }, "\(index)")
            }
            try await database.migrate(steps)
        }
    }

    @Test(
        "A file has all that the steps make; of each index that somebody drops a start tells the name and what makes it",
        arguments: ServerKind.allCases)
    func file(_ server: ServerKind) async throws {
        let steps = server.schema.migrations
        let database = try SQLiteDatabase.inMemory()
        for _ in 0..<2 { try await database.migrate(steps) }
        let named = SchemaIndexes(after: steps.flatMap { $0.statements(.sqlite) }).named
        #expect(!named.isEmpty)
        for (name, index) in named {
            try await database.transaction { try $0.execute("DROP INDEX \(name)") }
            let statement = try await told(by: { try await database.migrate(steps) }, "the index \(name) of \(index.table): ")
            #expect(statement == index.statement)
            try await database.transaction { try $0.execute(index.statement) }
        }
        try await database.migrate(steps)
        try await database.close()
    }

    @Test("Of each table that is gone a start tells the name, on either engine, and nothing to make on it", arguments: ServerKind.allCases)
    func tables(_ server: ServerKind) async throws {
        let steps = server.schema.migrations
        let names = SchemaIndexes(after: steps.flatMap { $0.statements(.postgresql) }).tables.keys.sorted()
        func expectTold(by database: any Database) async throws {
            try await database.migrate(steps)
            for name in names {
                try await database.transaction { try $0.execute("ALTER TABLE \"\(name)\" RENAME TO away") }
                await #expect(throws: SQLError.tableMissing(path: database.place, name: name)) { try await database.migrate(steps) }
                try await database.transaction { try $0.execute("ALTER TABLE away RENAME TO \"\(name)\"") }
            }
            try await database.migrate(steps)
        }
        try await PostgreSQLDatabase.lend { try await expectTold(by: $0) }
        let database = try SQLiteDatabase.inMemory()
        try await expectTold(by: database)
        try await database.close()
    }

    /// The statement by which a refused start tells what is not there; nil if it tells something else.
    private func told(by start: () async throws -> Void, _ beginning: String) async throws -> String? {
        do { try await start() } catch DatabaseOpenError.missingIndexes(let lacking) {
            guard lacking.count == 1, lacking[0].hasPrefix(beginning) else { return nil }
            return String(lacking[0].dropFirst(beginning.count))
        }
        return nil
    }
}
