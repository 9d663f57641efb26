import Database
import Dispatch
import OstiaryTesting
import Testing

@Suite("Statements and rows", .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test("Every kind of value comes back as it went in", arguments: Backend.allCases)
    func roundTrip(on backend: Backend) async throws {
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .double(-0.5), .text(""), .text("a\0b'\"é"), .blob([]), .blob([0, 255, 7]),
        ]
        try await backend.withDatabase { database in
            for value in values {
                let found = try await database.read { try $0.one("SELECT $1 AS value", [value])?.value("value") }
                #expect(found == value)
            }
        }
    }

    @Test("Parameters are bound by number, in any order and more than once, and not inside quotes or comments", arguments: Backend.allCases)
    func parameters(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let row = try await database.read { connection in
                try connection.one("SELECT $2 AS b, $1 AS a, '$1 ''$2' AS text, $2 AS \"$1\" -- $3\n", [.integer(1), .integer(2)])
            }
            let found = try #require(row)
            #expect(found.columnNames == ["b", "a", "text", "$1"])
            #expect(found.values == [.integer(2), .integer(1), .text("$1 '$2"), .integer(2)])
        }
    }

    @Test("A wrong number of arguments is refused before anything runs", arguments: Backend.allCases)
    func argumentCount(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            await #expect(throws: SQLError.argumentCount(expected: 1, found: 0)) {
                try await database.transaction { try $0.execute("DELETE FROM counter WHERE name = $1") }
            }
            let hits = try await database.hits()
            #expect(hits == 0)
        }
    }

    @Test("A column that is missing, null or of another kind is an error, never a default", arguments: Backend.allCases)
    func strictAccess(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let answer = try await database.read { try $0.one("SELECT 2 AS two, -1 AS minus, 'x' AS text, NULL AS absent") }
            let row = try #require(answer)
            #expect(throws: SQLError.noSuchColumn("three")) { try row.integer("three") }
            #expect(throws: SQLError.wrongKind(column: "text", expected: .integer, found: .text)) { try row.integer("text") }
            #expect(throws: SQLError.wrongKind(column: "absent", expected: .blob, found: .null)) { try row.blob("absent") }
            #expect(throws: SQLError.wrongKind(column: "two", expected: .text, found: .integer)) { try row.optionalText("two") }
            #expect(throws: SQLError.wrongKind(column: "text", expected: .integer, found: .text)) { try row.optionalInteger("text") }
            #expect(throws: SQLError.wrongKind(column: "text", expected: .integer, found: .text)) { try row.optionalUnsigned("text") }
            #expect(throws: SQLError.wrongKind(column: "text", expected: .blob, found: .text)) { try row.optionalBlob("text") }
            #expect(throws: SQLError.noSuchColumn("three")) { try row.optionalText("three") }
            #expect(throws: SQLError.outOfRange("minus")) { try row.optionalUnsigned("minus") }
            #expect(throws: SQLError.outOfRange("minus")) { try row.unsigned("minus") }
            #expect(throws: SQLError.outOfRange("two")) { try row.bool("two") }
            #expect(try row.optionalUnsigned("absent") == nil)
            #expect(try row.optionalBlob("absent") == nil)
            #expect(try row.optionalText("absent") == nil && row.optionalInteger("absent") == nil)
            #expect(try row.int("two") == 2)
        }
    }

    @Test("Two rows are not one", arguments: Backend.allCases)
    func moreThanOneRow(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            await #expect(throws: SQLError.moreThanOneRow) {
                try await database.read { _ = try $0.one("SELECT 1 AS n UNION ALL SELECT 2") }
            }
        }
    }

    @Test("A statement answers how many rows it changed", arguments: Backend.allCases)
    func changedRows(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let counts = try await database.transaction { connection in
                [
                    try connection.execute("INSERT INTO counter (name, value) VALUES ('a', 1), ('b', 2)"),
                    try connection.execute("UPDATE counter SET value = 5 WHERE name = 'nobody'"),
                    try connection.execute("CREATE TABLE extra (n INTEGER)"),
                    try connection.execute("DELETE FROM counter"),
                ]
            }
            #expect(counts == [2, 0, 0, 3])
        }
    }

    @Test("Constraints have names of their own", arguments: Backend.allCases)
    func constraints(on backend: Backend) async throws {
        let cases: [(sql: String, error: SQLError)] = [
            (
                "INSERT INTO counter (name, value) VALUES ('hits', 1)",
                .uniqueViolation(backend.word(sqlite: "counter.name", postgresql: "counter_pkey"))
            ),
            ("INSERT INTO note (counter) VALUES ('nobody')", .foreignKeyViolation),
            ("UPDATE counter SET value = -1", .checkViolation(backend.word(sqlite: "value >= 0", postgresql: "counter_value_check"))),
            ("INSERT INTO counter (name) VALUES ('x')", .checkViolation("counter.value")),
        ]
        try await backend.withDatabase { database in
            for (sql, error) in cases {
                await #expect(throws: error) { try await database.transaction { try $0.execute(sql) } }
            }
            await #expect(throws: SQLError.self) { try await database.transaction { try $0.execute("UPDATE counter SET value = 'many'") } }
            await #expect(throws: SQLError.tableMissing(path: database.place)) {
                try await database.read { try $0.query("SELECT * FROM nowhere") }
            }
            let hits = try await database.hits()
            #expect(hits == 0)
        }
    }

    @Test("A read cannot change anything", arguments: Backend.allCases)
    func readOnly(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            await #expect(throws: SQLError.readOnly) { try await database.read { try $0.execute("UPDATE counter SET value = 9") } }
            try await database.countHit()
            #expect(try await database.hits() == 1)
        }
    }

    @Test("A read sees one state, though a writer commits in the middle of it", arguments: Backend.allCases.filter { $0 != .memory })
    func oneState(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let (inside, enter) = AsyncStream.makeStream(of: Void.self)
            let committed = DispatchSemaphore(value: 0)
            let reading = Task(executorPreference: OwnThread()) {
                try await database.read { connection in
                    let first = try connection.one("SELECT value FROM counter")?.int("value")
                    enter.finish()
                    committed.wait()
                    return (first, try connection.one("SELECT value FROM counter")?.int("value"))
                }
            }
            for await _ in inside {}
            try await database.countHit()
            committed.signal()
            let (first, second) = try await reading.value
            #expect(first == 0)
            #expect(second == 0)
            #expect(try await database.hits() == 1)
        }
    }
}
