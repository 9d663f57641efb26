import Database
import Foundation
import OstiaryTesting
import Testing

@testable import AuthServer
@testable import SecondFactorServer

/// docs/operations.md says of every table of both servers what ends its rows. Tables are those of the databases themselves.
@Suite("What ends a row")
struct EndOfRowsDocumentTests {
    /// The tables of one server, as the document lists them.
    private func listed(_ server: String) throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized
        let text = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "<!-- rows of \(server):").dropFirst().first)
        let rows = try #require(table.components(separatedBy: "<!-- end of rows -->").first).split(separator: "\n").filter { $0.hasPrefix("| `") }
        return try rows.flatMap { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // Tables, what ends a row, when, and what finds it.
            try #require(cells.count == 4 && cells.allSatisfy { !$0.isEmpty }, "\(row)")
            return cells[0].components(separatedBy: ", ").map { $0.trimmingCharacters(in: ["`"]) }
        }
    }

    private func tables(after migrations: [Migration], on database: any Database) async throws -> [String] {
        try await database.migrate(migrations)
        return try await database.read { try $0.tables(of: database.dialect) }
    }

    @Test("Is said of each table of the authentication server, once, and of none that is not there")
    func authentication() async throws {
        let tables = try await tables(after: AuthenticationSchema.migrations, on: try SQLiteDatabase.inMemory())
        #expect(tables.count > 40)
        #expect(try listed("serve").sorted() == tables)
    }

    @Test("Is said of each table of the second-factor server, once, and of none that is not there")
    func secondFactor() async throws {
        let tables = try await tables(after: secondFactorMigrations, on: try SQLiteDatabase.inMemory())
        #expect(tables.count > 8)
        #expect(try listed("second-factor").sorted() == tables)
    }
}
