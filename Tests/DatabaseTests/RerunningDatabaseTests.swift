import Database
import OstiaryTesting
import Synchronization
import Testing

@Suite("A database that runs every body twice")
struct RerunningDatabaseTests {
    /// What was told of the bodies that `work` had run, on a table of counters.
    private func told(_ work: (any Database) async throws -> Void) async throws -> [RerunDifference] {
        let found = Found()
        let base = try SQLiteDatabase.inMemory()
        try await base.migrate(sampleSchema)
        try await work(RerunningDatabase(base, report: found.add))
        return found.differences
    }

    private final class Found: Sendable {
        private let kept = Mutex<[RerunDifference]>([])
        var differences: [RerunDifference] { kept.withLock { $0 } }

        @Sendable
        func add(_ difference: RerunDifference) { kept.withLock { $0.append(difference) } }
    }

    /// Counts from 1, whichever run asks.
    private final class Tally: Sendable {
        private let last = Mutex(0)

        func next() -> Int {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    private static let insert = "INSERT INTO note (counter, body) VALUES ('hits', $1)"

    @Test("A body that has no effect but through its connection has it once, and is not told of")
    func once() async throws {
        let told = try await told { database in
            try await database.countHit()
            let id = try await database.transaction { try $0.one("INSERT INTO note (counter) VALUES ('hits') RETURNING id")?.int("id") }
            #expect(id == 1, "a number that the engine counts up is the same again")
            let hits = try await database.hits()
            #expect(hits == 1)
        }
        #expect(told.isEmpty)
    }

    @Test("A fresh value that is drawn inside a body is told by the first statement that it is written or asked for with")
    func freshValue() async throws {
        let told = try await told { database in
            try await database.transaction { connection in
                try connection.execute("UPDATE counter SET value = 7 WHERE name = 'hits'")
                try connection.execute(Self.insert, [SQLValue(bytes: (0..<8).map { _ in UInt8.random(in: 0...255) })])
            }
            let asked = "SELECT name FROM counter WHERE value > $1"
            _ = try await database.read { try $0.query(asked, [.integer(.random(in: 0...(1 << 60)))]) }
        }
        #expect(told == [.argument(1, of: Self.insert), .argument(1, of: "SELECT name FROM counter WHERE value > $1")])
    }

    @Test("A fresh value that is answered alone is told, too, however deep it lies in the answer")
    func freshAnswer() async throws {
        struct Answer { let parts: (Int, [Part]) }
        struct Part { let value: UInt64 }
        let told = try await told { database in
            _ = try await database.read { _ in Answer(parts: (1, [Part(value: .random(in: 0...UInt64.max))])) }
            _ = try await database.read { _ in Answer(parts: (1, [Part(value: 7)])) }
            _ = try await database.read { _ in Dictionary(uniqueKeysWithValues: (0..<99).map { ($0, Part(value: 7)) }) }
        }
        #expect(told == [.answer("Answer")])
    }

    @Test("An effect beside the connection is told when the body goes another way for it")
    func otherWay() async throws {
        let runs = Tally()
        let told = try await told { database in
            try await database.transaction { connection in
                if runs.next() == 1 { try connection.execute("DELETE FROM note") }
            }
        }
        #expect(told == [.statement(first: "DELETE FROM note", second: nil)])
    }

    @Test("A body that throws leaves nothing behind, and its error is that of the second run")
    func throwing() async throws {
        let runs = Tally()
        let told = try await told { database in
            for _ in 0..<2 {
                await #expect(throws: Refused.self) {
                    try await database.transaction { connection in
                        try connection.execute("UPDATE counter SET value = 9 WHERE name = 'hits'")
                        throw Refused(number: min(runs.next(), 2))
                    }
                }
            }
            let hits = try await database.hits()
            #expect(hits == 0)
        }
        #expect(told == [.error(first: "Refused", second: "Refused")], "of the first call alone: the second threw the same twice")
    }

    @Test("A statement that fails in both runs, and that the body catches, spoils neither")
    func caught() async throws {
        let told = try await told { database in
            try await database.transaction { connection in
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
                #expect(throws: SQLError.self) { try connection.execute("INSERT INTO counter (name, value) VALUES ('hits', 1)") }
            }
            let hits = try await database.hits()
            #expect(hits == 1)
        }
        #expect(told.isEmpty)
    }
}
