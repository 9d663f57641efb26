import OstiaryTesting
import Testing

@testable import Database

@Suite("Rows of a table: added, replaced, or changed where they differ")
struct SQLTableTests {
    private static let table = SQLTable("note", key: ["place", "number"], columns: ["text", "size"])

    private func values(_ number: Int, _ text: String?, _ size: Int) -> [SQLValue] {
        [.blob([1]), SQLValue(number), SQLValue(text), SQLValue(size)]
    }

    private func run(_ body: @Sendable @escaping (any SQLConnection) throws -> Void) async throws -> (rows: [[SQLValue]], statements: [String]) {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        try await database.transaction { connection in
            try connection.execute("CREATE TABLE note (place BLOB, number INTEGER, text TEXT, size INTEGER, PRIMARY KEY (place, number)) STRICT")
        }
        _ = database.take()
        try await database.transaction(body)
        let statements = database.take().statements
        let rows = try await database.read { try $0.query("SELECT \(Self.table.list("n.")) FROM note n ORDER BY n.number").map(\.values) }
        return (rows, statements)
    }

    @Test("A row that nobody has read is added, or takes the place of the one that is there")
    func upsert() async throws {
        let (rows, statements) = try await run { [self] connection in
            try Self.table.save(values(1, "a", 1), on: connection)
            try Self.table.save(values(2, "b", 2), on: connection)
            try Self.table.save(values(1, nil, 3), on: connection)
        }
        #expect(rows == [values(1, nil, 3), values(2, "b", 2)])
        #expect(Set(statements).count == 1 && statements.count == 3)
    }

    @Test("A row whose key the engine counts up is added under the next number, whatever stands in the place of its key")
    func counted() async throws {
        let database = try SQLiteDatabase.inMemory()
        let table = SQLTable("note", key: ["id"], columns: ["text", "size"])
        try await database.transaction { connection in
            try connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT, size INTEGER) STRICT")
            for text in ["a", "b"] { try table.add([.null, .text(text), .integer(1)], on: connection) }
        }
        let rows = try await database.read { try $0.query(table.selection + "ORDER BY id").map(\.values) }
        #expect(rows == [[.integer(1), .text("a"), .integer(1)], [.integer(2), .text("b"), .integer(1)]])
    }

    @Test("Over a row that is known what differs is written, there and nowhere else; nothing where nothing does")
    func changes() async throws {
        let (rows, statements) = try await run { [self] connection in
            for number in 1...2 { try Self.table.save(values(number, "a", 1), on: connection) }
            try Self.table.save(values(2, "a", 1), over: values(2, "a", 1), on: connection)
            try Self.table.save(values(2, "a", 7), over: values(2, "a", 1), on: connection)
            try Self.table.save(values(2, nil, 8), over: values(2, "a", 7), on: connection)
        }
        #expect(rows == [values(1, "a", 1), values(2, nil, 8)])
        #expect(
            statements.dropFirst(2) == [
                "UPDATE note SET size = $1 WHERE place = $2 AND number = $3", "UPDATE note SET text = $1, size = $2 WHERE place = $3 AND number = $4",
            ])
    }

    @Test("A row that is gone is not changed in silence")
    func gone() async throws {
        await #expect(throws: SQLError.rowGone(table: "note")) {
            try await self.run { [self] connection in
                try Self.table.save(values(1, "a", 1), on: connection)
                try connection.execute("DELETE FROM note")
                try Self.table.save(values(1, "b", 1), over: values(1, "a", 1), on: connection)
            }
        }
    }
}
