import Database
import Dispatch
import OstiaryTesting
import Testing

@Suite("PostgreSQL: what takes too long, and errors that are caught", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLTimeoutTests {
    private static func impatient(statement: Int = 60_000, lock: Int = 60_000) -> PostgreSQLSettings {
        var settings = PostgreSQLSettings.forTests
        (settings.statementTimeout, settings.lockTimeout) = (statement, lock)
        return settings
    }

    @Test("A statement that works for too long is ended; a step of the schema may take longer")
    func statementTimeout() async throws {
        try await PostgreSQLDatabase.lend(settings: Self.impatient(statement: 1_000)) { database in
            let slow = "SELECT pg_sleep(2)::text"
            await #expect(throws: SQLError.busy) { try await database.read { _ = try $0.query(slow) } }
            await #expect(throws: SQLError.busy) { try await database.transaction { _ = try $0.query(slow) } }
            try await database.migrate([Migration(1, "slow", statements: { _ in [] }, rows: { _ = try $0.query(slow) })])
            #expect(try await database.schemaVersion() == 1)
            // And nobody after it.
            await #expect(throws: SQLError.busy) { try await database.read { _ = try $0.query(slow) } }
        }
    }

    @Test("A limit of whole transactions, which an operator can set from PostgreSQL 17 on, ends no step of the schema")
    func transactionTimeout() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let version = try await Self.read("SELECT current_setting('server_version_num') AS said", of: name, at: cluster)
        guard (Int(version) ?? 0) >= 170_000 else { return }
        try await cluster.run(["ALTER DATABASE \(name) SET transaction_timeout = 500"])
        let database = try await cluster.open(name)
        let slow = "SELECT pg_sleep(1)::text"
        try await database.migrate([Migration(1, "slow", statements: { _ in [] }, rows: { _ = try $0.query(slow) })])
        #expect(try await database.schemaVersion() == 1)
        await database.close()
        #expect(try await Self.read("SELECT current_setting('transaction_timeout') AS said", of: name, at: cluster) == "0")
    }

    private static func read(_ question: String, of name: String, at cluster: PostgreSQLCluster) async throws -> String {
        let database = try await cluster.open(name)
        let said = try await database.read { try $0.one(question)?.text("said") }
        await database.close()
        return said ?? ""
    }

    @Test("A row that somebody else holds is waited for, and not for ever; when it is free it is there")
    func lockTimeout() async throws {
        try await PostgreSQLDatabase.lend(settings: Self.impatient(lock: 100)) { database in
            try await database.migrate(sampleSchema)
            try await database.transaction { connection in
                try connection.execute("UPDATE counter SET value = 5 WHERE name = 'hits'")
                try blocking { await #expect(throws: SQLError.busy) { try await database.countHit() } }
            }
            try await database.countHit()
            #expect(try await database.hits() == 6)
        }
    }

    @Test("A body that catches the error of a statement goes on with what it did before, in a read as well")
    func caught() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            let runs = Runs()
            try await database.transaction { connection in
                runs.begin()
                try connection.execute("UPDATE counter SET value = 3 WHERE name = 'hits'")
                for _ in 0..<2 {
                    #expect(throws: SQLError.foreignKeyViolation) { try connection.execute("INSERT INTO note (counter) VALUES ('no')") }
                }
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
            }
            // The second time each statement can be taken back alone.
            #expect(runs.count == 2)
            #expect(try await database.hits() == 4)
            let value = try await database.read { connection in
                _ = try? connection.execute("UPDATE counter SET value = 9")
                return try connection.one("SELECT value FROM counter")?.int("value")
            }
            #expect(value == 4)
        }
    }

    @Test("A statement whose error a body turns into its own is run once")
    func turned() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            let runs = Runs()
            await #expect(throws: Refused(number: 1)) {
                try await database.transaction { connection in
                    runs.begin()
                    do { try connection.execute("INSERT INTO note (counter) VALUES ('no')") } catch { throw Refused(number: 1) }
                }
            }
            #expect(runs.count == 1)
        }
    }

    @Test("More callers than there is room for are told at once, and those who wait are served")
    func fullHouse() async throws {
        var settings = PostgreSQLSettings.forTests
        (settings.connections, settings.mostWaiting) = (1, 3)
        try await PostgreSQLDatabase.lend(settings: settings) { database in
            try await database.migrate(sampleSchema)
            let (inside, enter) = AsyncStream.makeStream(of: Void.self)
            let leave = DispatchSemaphore(value: 0)
            async let holder: Void = database.transaction { connection -> Void in
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
                enter.finish()
                leave.wait()
            }
            for await _ in inside {}
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { () -> SQLError? in
                        do { try await database.countHit() } catch { return error as? SQLError }
                        return nil
                    }
                }
                for _ in 0..<5 { #expect(await group.next() == .some(.some(.busy))) }
                leave.signal()
                for _ in 0..<3 { #expect(await group.next() == .some(nil)) }
            }
            try await holder
            #expect(try await database.hits() == 4)
        }
    }
}
