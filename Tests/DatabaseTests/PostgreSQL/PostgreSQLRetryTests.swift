import Database
import Dispatch
import OstiaryTesting
import Synchronization
import Testing

@Suite("PostgreSQL: a body that meets others is run again", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLRetryTests {
    /// What was drawn and waited for.
    private final class Pauses: Sendable {
        let drawn = Mutex<[UInt64]>([])
        let waited = Mutex<[UInt64]>([])

        func settings(mostRuns: Int) -> PostgreSQLSettings {
            var settings = PostgreSQLSettings.forTests
            settings.retry.mostRuns = mostRuns
            settings.retry.draw = { bound in
                self.drawn.withLock { $0.append(bound) }
                return bound - 1
            }
            settings.retry.wait = { pause in self.waited.withLock { $0.append(pause) } }
            return settings
        }
    }

    @Test("One that changes what another changed meanwhile sees the other's change in its next run, and both are kept")
    func conflict() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            let runs = Runs()
            let seen = try await database.transaction { connection -> Int in
                let before = try connection.one("SELECT value FROM counter WHERE name = 'hits'")?.int("value") ?? -1
                let isFirst = runs.begin() == 1
                if isFirst { try blocking { try await database.countHit() } }
                try connection.execute("UPDATE counter SET value = $1 WHERE name = 'hits'", [SQLValue(before + 10)])
                return before
            }
            #expect(seen == 1)
            #expect(runs.count == 2)
            #expect(try await database.hits() == 11)
        }
    }

    @Test("Two that each change what the other has only read: one of them runs again, as if they had come one after the other")
    func writeSkew() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            let other = "INSERT INTO counter (name, value) SELECT $1, 1 WHERE (SELECT COUNT(*) FROM counter) < 2"
            let runs = Runs()
            try await database.transaction { connection in
                let count = try connection.one("SELECT COUNT(*) AS n FROM counter")?.int("n") ?? 0
                let isFirst = runs.begin() == 1
                if isFirst { try blocking { _ = try await database.transaction { try $0.execute(other, [.text("theirs")]) } } }
                if count < 2 { try connection.execute("INSERT INTO counter (name, value) VALUES ('ours', 1)") }
            }
            let names = try await database.read { try $0.query("SELECT name FROM counter ORDER BY name").map { try $0.text("name") } }
            #expect(names == ["hits", "theirs"])
        }
    }

    @Test("Whoever is in the way each time is given up on after so many runs; pauses grow up to a bound and are drawn")
    func bounded() async throws {
        let pauses = Pauses()
        try await PostgreSQLDatabase.lend(settings: pauses.settings(mostRuns: 10)) { database in
            try await database.migrate(sampleSchema)
            let runs = Runs()
            await #expect(throws: SQLError.collided) {
                try await database.transaction { connection in
                    runs.begin()
                    _ = try connection.one("SELECT value FROM counter WHERE name = 'hits'")
                    try blocking { try await database.countHit() }
                    try connection.execute("UPDATE counter SET value = value + 100 WHERE name = 'hits'")
                }
            }
            #expect(runs.count == 10)
            #expect(try await database.hits() == 10)
        }
        // At once after the first run; the last is followed by none.
        #expect(pauses.waited.withLock { $0 } == [2, 4, 8, 16, 32, 64, 100, 100])
        #expect(pauses.drawn.withLock { $0 } == [3, 5, 9, 17, 33, 65, 101, 101])
    }

    @Test("Whoever was sent away, and then waits in vain for a row, is told that others were in the way: not that somebody has the database")
    func waitsAfterwards() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.lockTimeout = 200
        try await PostgreSQLDatabase.lend(settings: settings, to: 2) { databases in
            let (database, other) = (databases[0], databases[1])
            try await database.migrate(sampleSchema)
            let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let runs = Runs()
            let holder = Mutex<Task<Void, any Error>?>(nil)
            await #expect(throws: SQLError.collided) {
                try await database.transaction { connection in
                    let run = runs.begin()
                    _ = try connection.one("SELECT value FROM counter WHERE name = 'hits'")
                    if run == 1 { try blocking { try await other.countHit() } }
                    if run == 2 {
                        holder.withLock { holder in
                            holder = Task {
                                try await other.transaction { connection in
                                    try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
                                    held.signal()
                                    release.wait()
                                }
                            }
                        }
                        // The time only ends what hangs.
                        _ = held.wait(timeout: .now() + 60)
                    }
                    try connection.execute("UPDATE counter SET value = value + 100 WHERE name = 'hits'")
                }
            }
            release.signal()
            try await holder.withLock { $0 }?.value
            #expect(runs.count == 2)
            #expect(try await database.hits() == 2)
        }
    }

    @Test("Of several that start at once each step of the schema is taken once, and none of them fails")
    func startedAtOnce() async throws {
        try await PostgreSQLDatabase.lend { database in
            let steps = (1...5).map { number in
                Migration(number, "step \(number)") { dialect in
                    (number == 1 ? ["CREATE TABLE taken (n \(dialect.integer) NOT NULL)"] : []) + ["INSERT INTO taken VALUES (\(number))"]
                }
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<6 { group.addTask { try await database.migrate(steps) } }
                try await group.waitForAll()
            }
            let taken = try await database.read { try $0.query("SELECT n FROM taken ORDER BY n").map { try $0.int("n") } }
            #expect(taken == [1, 2, 3, 4, 5])
        }
    }

    @Test("Two that wait for each other: one of them runs again, and both are kept")
    func deadlock() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            try await database.transaction { try $0.execute("INSERT INTO counter (name, value) VALUES ('other', 0)") }
            let (both, either) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let runs = Runs()
            async let first: Void = count(["hits", "other"], in: database, runs, says: either, waits: both)
            async let second: Void = count(["other", "hits"], in: database, runs, says: both, waits: either)
            _ = try await (first, second)
            let values = try await database.read { try $0.query("SELECT value FROM counter").map { try $0.int("value") } }
            #expect(values == [2, 2])
            #expect(runs.count > 2)
        }
    }

    /// Counts under both names, and lets the other come between in its first run.
    private func count(
        _ names: [String], in database: any Database, _ runs: Runs, says: DispatchSemaphore, waits: DispatchSemaphore
    ) async throws {
        let own = Runs()
        try await database.transaction { connection in
            runs.begin()
            try connection.execute("UPDATE counter SET value = value + 1 WHERE name = $1", [.text(names[0])])
            if own.begin() == 1 {
                says.signal()
                waits.wait()
            }
            try connection.execute("UPDATE counter SET value = value + 1 WHERE name = $1", [.text(names[1])])
        }
    }
}
