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

    @Test("All that the steps make is expected, nothing else is, and of each that is gone a start tells the name", arguments: ServerKind.allCases)
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
                let refusal = DatabaseOpenError.missingIndexes(["the index \(one.index.name) of \(one.index.table)"])
                await #expect(throws: refusal) { try await database.migrate(steps) }
                try await database.transaction { try $0.execute(one.definition) }
            }
            try await database.migrate(steps)
        }
    }
}
