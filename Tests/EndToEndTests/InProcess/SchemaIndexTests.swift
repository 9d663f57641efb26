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
        let question = try #require(database.dialect.catalogue.indexes)
        return try await database.read { connection in
            try connection.query(question).map { row in
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
            #expect(others.count == wanted.tables.values.map(\.uniques).reduce(0, +) && others.allSatisfy(\.index.isUnique))
            let stepTables = Set(["schema_version", "schema_reader"])
            let keyed = Set(found.filter(\.index.isKey).map(\.index.table)).subtracting(stepTables)
            #expect(keyed == Set(wanted.tables.keys) && wanted.tables.values.allSatisfy(\.hasKey))
            #expect(wanted.named.count + others.count + keyed.count + stepTables.count == found.count)
            for one in found where wanted.named[one.index.name] != nil {
                try await database.transaction { try $0.execute("DROP INDEX \"\(one.index.name)\"") }
                let statement = try #require(try await told(by: { try await database.migrate(steps) }, of: one.index))
                // What is told makes the one that was there.
                try await database.transaction { try $0.execute(statement) }
                #expect(try await self.found(in: database).contains { $0.index == one.index && $0.definition == one.definition })
            }
            try await database.migrate(steps)
        }
    }

    /// The statement by which a refused start tells what is not there; nil if it tells something else.
    private func told(by start: () async throws -> Void, of index: SchemaIndexes.Found) async throws -> String? {
        do { try await start() } catch DatabaseOpenError.missingIndexes(let lacking) {
            let beginning = "the index \(index.name) of \(index.table): "
            guard lacking.count == 1, lacking[0].hasPrefix(beginning) else { return nil }
            return String(lacking[0].dropFirst(beginning.count))
        }
        return nil
    }
}
