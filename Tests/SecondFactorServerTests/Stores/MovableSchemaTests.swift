import Database
import Testing

@testable import SecondFactorServer

@Suite("The schema of the second-factor server, moved")
struct MovableSchemaTests {
    @Test("Every table has a key and is moved, and another server's beginning is not gone on with")
    func everyTable() async throws {
        let (old, new) = (try await server(root: 1), try SQLiteDatabase.inMemory())
        let source = MoveEnd(old, url: "old", name: "the old one")
        let target = MoveEnd(new, url: "new", name: "the new one")
        #expect(try await MovableSchema.of(source, among: [.secondFactorServer]) == 0)
        try await old.transaction { try $0.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY)") }
        await #expect(throws: MoveRefusal.unlikeTables(["extra"])) {
            try await DatabaseMove(from: source, to: target, schema: .secondFactorServer).run()
        }
        let other = MoveEnd(try await server(root: 2), url: "other", name: "another")
        await #expect(throws: MoveRefusal.otherSource(target: "the new one", source: "old")) {
            try await DatabaseMove(from: other, to: target, schema: .secondFactorServer).run()
        }
        try await old.transaction { try $0.execute("DROP TABLE extra") }
        let report = try await DatabaseMove(from: source, to: target, schema: .secondFactorServer).run()
        let tables = ["attempt", "instance", "own_operator_key", "own_prekey", "own_root", "pending_key", "reset_log", "schema_version"]
        #expect(Set(report.tables.map(\.name)).isSuperset(of: tables))
        #expect(report.rows == secondFactorMigrations.count + 1)
        #expect(try await new.read { try $0.one("SELECT root FROM own_root")?.blob("root") } == [1])
    }

    private func server(root: UInt8) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.inMemory()
        try await database.migrate(secondFactorMigrations)
        try await database.transaction { try $0.execute("INSERT INTO own_root (id, root) VALUES (1, $1)", [.blob([root])]) }
        return database
    }
}
