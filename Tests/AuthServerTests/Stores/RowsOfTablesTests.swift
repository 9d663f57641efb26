import Database
import OstiaryTesting
import Testing

@testable import AuthServer

/// A right that a statement needs and readiness does not ask for is missing while all seems well; one that none needs makes a server unready for nothing.
@Suite("What the statements of the authentication server do with the rows of each table")
struct RowsOfTablesTests {
    @Test("Rows of the tables of which it is said are never changed, or never removed; those of all others are")
    func lists() throws {
        let texts = try SourceTexts(of: "AuthServer", besides: "Database/Lease.swift")
        let tables = AuthenticationSchema.tables
        #expect(tables.names.filter { !texts.changes($0) } == tables.unchanged)
        // Those of the first go with their grants, by the database.
        #expect(tables.names.filter { !texts.removes($0) } == tables.kept.union(["oauth_family"]))
        // Of these the text does not name the table: expired rows (`remove(from:)`), and what a client had that is removed.
        #expect(texts.count(of: "DELETE FROM \\(") == 2 && texts.count(of: "UPDATE \\(") == 0)
    }
}
