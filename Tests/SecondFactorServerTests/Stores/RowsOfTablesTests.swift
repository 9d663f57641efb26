import Database
import OstiaryTesting
import Testing

@testable import SecondFactorServer

/// A right that a statement needs and readiness does not ask for is missing while all seems well; one that none needs makes a server unready for nothing.
@Suite("What the statements of the second-factor server do with the rows of each table")
struct RowsOfTablesTests {
    @Test("Rows of the tables of which it is said are never changed, or never removed; those of all others are")
    func lists() throws {
        let texts = try SourceTexts(of: "SecondFactorServer")
        #expect(secondFactorTables.names == ["attempt", "instance", "own_operator_key", "own_prekey", "own_root", "pending_key", "reset_log"])
        #expect(secondFactorTables.names.filter { !texts.changes($0) } == secondFactorTables.unchanged)
        #expect(secondFactorTables.names.filter { !texts.removes($0) } == secondFactorTables.kept)
        #expect(texts.count(of: "DELETE FROM \\(") == 0 && texts.count(of: "UPDATE \\(") == 0)
    }
}
