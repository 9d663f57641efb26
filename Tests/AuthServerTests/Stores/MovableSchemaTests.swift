import Database
import Testing

@testable import AuthServer

@Suite("The schema of the authentication server, moved")
struct MovableSchemaTests {
    @Test("Every table has a key, none refers to another in a ring, and each is told apart and moved")
    func everyTable() async throws {
        let (old, new) = (try SQLiteDatabase.inMemory(), try SQLiteDatabase.inMemory())
        try await old.migrate(AuthenticationSchema.migrations)
        let tables = try await old.read { connection in
            try connection.query("SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'").map {
                try $0.text("name")
            }
        }
        let source = MoveEnd(old, url: "old", name: "the old one")
        #expect(try await MovableSchema.of(source, among: [.authServer]) == 0)
        let report = try await DatabaseMove(from: source, to: MoveEnd(new, url: "new", name: "the new one"), schema: .authServer).run()
        #expect(report.tables.map(\.name).sorted() == tables.sorted())
        let steps = AuthenticationSchema.migrations
        // And that a new server has nothing to repack.
        #expect(report.rows == steps.count + steps.filter { $0.readableFrom < $0.number }.count + 1)
    }

    @Test("The beginning of a move is not gone on with from another server, which has made another virtual server")
    func identity() async throws {
        let (one, other) = (try await Self.server(id: 1), try await Self.server(id: 2))
        let marked = try SQLiteDatabase.inMemory()
        try await Self.leaveMark(of: one, in: marked)
        let move = DatabaseMove(from: MoveEnd(other, url: "other", name: "it"), to: MoveEnd(marked, url: "new", name: "new"), schema: .authServer)
        await #expect(throws: MoveRefusal.otherSource(target: "new", source: "one")) { try await move.run() }
    }

    /// A move that is refused when its mark is there: the source has a table more than the program makes.
    private static func leaveMark(of source: SQLiteDatabase, in target: SQLiteDatabase) async throws {
        try await source.transaction { try $0.execute("CREATE TABLE extra (id INTEGER PRIMARY KEY)") }
        let move = DatabaseMove(from: MoveEnd(source, url: "one", name: "it"), to: MoveEnd(target, url: "new", name: "new"), schema: .authServer)
        await #expect(throws: MoveRefusal.unlikeTables(["extra"])) { try await move.run() }
    }

    private static func server(id: UInt8) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.inMemory()
        try await database.migrate(AuthenticationSchema.migrations)
        try await database.transaction { connection -> Void in
            let columns = try connection.query("SELECT name, type FROM pragma_table_info('server') WHERE \"notnull\" = 1 AND name <> 'id'")
            let names = try columns.map { try $0.text("name") }
            let values = try columns.map { try $0.text("type") == "INTEGER" ? "0" : try $0.text("type") == "BLOB" ? "x'00'" : "''" }
            try connection.execute(
                "INSERT INTO server (id, \(names.joined(separator: ", "))) VALUES ($1, \(values.joined(separator: ", ")))", [.blob([id])])
        }
        return database
    }
}
