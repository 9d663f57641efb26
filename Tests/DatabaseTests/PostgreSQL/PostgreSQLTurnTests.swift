import Database
import OstiaryTesting
import Testing

@Suite("PostgreSQL: ways there and back", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLTurnTests {
    @Test("Changes that nobody waits for go with what is asked next, or all together before the commit")
    func together() async throws {
        try await Self.onOneConnection { fixture async throws in
            let turns = try await fixture.turns { connection in
                for value in 1...5 { try connection.write(Self.setting, [.integer(Int64(value))]) }
            }
            #expect(turns == 2)
            let asking = try await fixture.turns { connection in
                try connection.write(Self.setting, [.integer(7)])
                // What is asked sees what was said before it.
                guard try connection.one(Self.question)?.int("value") == 7 else { throw Refused(number: 7) }
                try connection.write(Self.setting, [.integer(8)])
            }
            #expect(asking == 3)
            // Who asks for the number waits for it.
            let waiting = try await fixture.turns { connection in
                for value in 1...5 { try connection.execute(Self.setting, [.integer(Int64(value))]) }
            }
            #expect(waiting == 6)
            #expect(try await fixture.database.hits() == 5)
        }
    }

    @Test("Rows of one statement cost one way there and back, a body that asks for them two; and what changes something is no such statement")
    func oneStatement() async throws {
        try await Self.onOneConnection { fixture async throws in
            let (database, socket) = (fixture.database, fixture.socket)
            _ = try await database.rows(Self.question, [])
            try await database.transaction { _ in }
            _ = socket.takeTurns()
            let rows = try await database.rows(Self.question, [])
            #expect(try rows.map { try $0.int("value") } == [0] && socket.takeTurns() == 1)
            _ = try await database.read { try $0.query(Self.question) }
            try await database.transaction { _ in }
            #expect(socket.takeTurns() == 2)
            for sql in ["UPDATE counter SET value = 3", "WITH x AS (DELETE FROM counter RETURNING name) SELECT name FROM x", " delete from counter"] {
                await #expect(throws: SQLError.readOnly) { _ = try await database.rows(sql, []) }
            }
            await #expect(throws: SQLError.argumentCount(expected: 1, found: 0)) {
                _ = try await database.rows("SELECT value FROM counter WHERE name = $1", [])
            }
            #expect(try await database.hits() == 0)
        }
    }

    @Test("A change that fails later than it was said fails where it stands: the body runs again, catches it there, and the rest is kept")
    func failsWhereItStands() async throws {
        try await Self.onOneConnection { fixture async throws in
            let runs = Runs()
            let caught = try await fixture.database.transaction { connection -> SQLError? in
                runs.begin()
                try connection.write(Self.setting, [.integer(3)])
                do { try connection.write(Self.addition, [.text("hits")]) } catch let error as SQLError {
                    try connection.write(Self.addition, [.text("other")])
                    return error
                }
                return nil
            }
            #expect(caught == .uniqueViolation("counter_pkey") && runs.count == 2)
            let names = try await fixture.database.read { try $0.query("SELECT name FROM counter ORDER BY name").map { try $0.text("name") } }
            #expect(names == ["first", "hits", "other"])
            #expect(try await fixture.database.hits() == 3)
            // One that nobody catches is the caller's, and nothing is kept.
            await #expect(throws: SQLError.uniqueViolation("counter_pkey")) {
                try await fixture.database.transaction { connection in
                    try connection.write(Self.setting, [.integer(4)])
                    try connection.write(Self.addition, [.text("hits")])
                    try connection.write(Self.setting, [.integer(5)])
                }
            }
            await #expect(throws: SQLError.checkViolation("counter_value_check")) {
                try await fixture.database.transaction { try $0.write(Self.setting, [.integer(-1)]) }
            }
            #expect(try await fixture.database.hits() == 3)
        }
    }

    @Test("A row that was to be changed and is not there is found out before the commit, and nothing is kept")
    func gone() async throws {
        try await Self.onOneConnection { fixture async throws in
            for _ in 0..<2 {
                await #expect(throws: SQLError.rowGone(table: "counter")) {
                    try await fixture.database.transaction { connection in
                        try connection.write(Self.setting, [.integer(6)])
                        try connection.write(Self.named, [.integer(1), .text("nobody")], changing: 1, of: "counter")
                    }
                }
            }
            #expect(try await fixture.database.hits() == 0)
        }
    }

    @Test("What is said before the commit shares its fate: cut before it nothing is there, cut behind it all is, and nobody knows")
    func cut() async throws {
        try await Self.onOneConnection { fixture async throws in
            let cuts: [(CuttingSocket.Cut, Int)] = [(.before("COMMIT"), 0), (.after("COMMIT"), 2), (.before("COMMIT"), 2), (.after("COMMIT"), 4)]
            for (cut, expected) in cuts {
                // The connection knows the statement.
                try await fixture.warm()
                fixture.socket.cut(cut)
                await #expect(throws: SQLError.outcomeUnknown) {
                    try await fixture.database.transaction { connection in
                        for _ in 0..<2 { try connection.write(Self.count, []) }
                    }
                }
                #expect(try await fixture.database.hits() == expected)
            }
        }
    }

    @Test("A connection that the server has ended while nobody used it costs a body that only changes something nothing")
    func endedIdle() async throws {
        try await Self.onOneConnection { fixture async throws in
            let name = try await fixture.database.read { try $0.one("SELECT current_database()::text AS name")?.text("name") }
            try await fixture.database.transaction { _ in }
            let cluster = try await PostgreSQLCluster.shared
            try await cluster.run(["SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(try #require(name))'"])
            try await fixture.database.transaction { try $0.write(Self.count, []) }
            #expect(try await fixture.database.hits() == 1)
        }
    }

    @Test("A body that ends with an error of its own has said nothing, and a read writes nothing")
    func nothing() async throws {
        try await Self.onOneConnection { fixture async throws in
            await #expect(throws: Refused(number: 1)) {
                try await fixture.database.transaction { connection in
                    try connection.write(Self.setting, [.integer(6)])
                    throw Refused(number: 1)
                }
            }
            // But a body that refuses because of a number of rows is told that number.
            let isNew = try await fixture.database.transaction { connection -> Bool in
                let values: [SQLValue] = [.integer(1), .text("nobody")]
                do { try connection.write(Self.named, values, changing: 1, of: "counter") } catch SQLError.rowGone { return false }
                throw Refused(number: 2)
            }
            #expect(!isNew)
            await #expect(throws: SQLError.readOnly) { try await fixture.database.read { try $0.write(Self.setting, [.integer(6)]) } }
            #expect(try await fixture.database.hits() == 0)
        }
    }

    private static let setting = "UPDATE counter SET value = $1 WHERE name = 'hits'"
    private static let named = "UPDATE counter SET value = $1 WHERE name = $2"
    private static let count = "UPDATE counter SET value = value + 1 WHERE name = 'hits'"
    private static let addition = "INSERT INTO counter (name, value) VALUES ($1, 0)"
    private static let question = "SELECT value FROM counter WHERE name = 'hits'"

    /// With a connection that has met the statements above.
    private static func onOneConnection(_ body: (CutFixture) async throws -> Void) async throws {
        var settings = PostgreSQLSettings.forTests
        settings.connections = 1
        try await CutFixture.run(settings: settings) { fixture async throws in
            try await fixture.warm()
            try await body(fixture)
        }
    }
}

extension CutFixture {
    /// Lets the connection meet the statements of this suite, and leaves no trace but a row.
    fileprivate func warm() async throws {
        try await database.transaction { connection in
            _ = try connection.query("SELECT value FROM counter WHERE name = 'hits'")
            let value = try connection.one("SELECT value FROM counter WHERE name = 'hits'")?.integer("value") ?? 0
            try connection.execute("UPDATE counter SET value = $1 WHERE name = 'hits'", [.integer(value)])
            try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
            try connection.execute("UPDATE counter SET value = $1 WHERE name = 'hits'", [.integer(value)])
            try connection.execute("UPDATE counter SET value = $1 WHERE name = $2", [.integer(value), .text("hits")])
            guard try connection.one("SELECT name FROM counter WHERE name = 'first'") == nil else { return }
            try connection.execute("INSERT INTO counter (name, value) VALUES ($1, 0)", [.text("first")])
        }
    }

    /// Ways there and back of a transaction, begin and end included.
    fileprivate func turns(_ body: @Sendable @escaping (any SQLConnection) throws -> Void) async throws -> Int {
        _ = socket.takeTurns()
        try await database.transaction(body)
        return socket.takeTurns()
    }
}
