import Database
import OstiaryTesting
import Testing

@Suite("PostgreSQL: connections that are lost", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLLossTests {
    /// A type and a length. Whoever has heard a part of a message knows what they knew without it, so a cut in each shows what one at each byte would.
    private static let shortestMessage = 5

    @Test("Cut behind COMMIT, the change is there and nobody knows it; cut before, it is not there and nobody knows it")
    func lostCommit() async throws {
        try await CutFixture.run { fixture in
            for (cut, hits) in [(CuttingSocket.Cut.after("COMMIT"), 1), (.before("COMMIT"), 1), (.after("COMMIT"), 2)] {
                fixture.socket.cut(cut)
                await #expect(throws: SQLError.outcomeUnknown) { try await fixture.database.countHit() }
                let found = try await fixture.settledHits()
                #expect(fixture.socket.hasCut && found == hits)
            }
        }
    }

    @Test("A body that looks again after a lost COMMIT has its effect once, whether it was kept or not")
    func looksAgain() async throws {
        try await CutFixture.run { fixture in
            for (number, cut) in [CuttingSocket.Cut.after("COMMIT"), .before("COMMIT")].enumerated() {
                fixture.socket.cut(cut)
                let name = SQLValue.text("mark \(number)")
                let isOurs = try await fixture.database.transaction { connection, former -> Bool in
                    if former == true, try connection.one("SELECT 1 AS one FROM counter WHERE name = $1", [name]) != nil { return true }
                    try connection.execute("INSERT INTO counter (name, value) VALUES ($1, 7)", [name])
                    return true
                }
                #expect(isOurs)
            }
            let marks = try await fixture.database.read { try $0.one("SELECT SUM(value) AS total FROM counter")?.int("total") }
            #expect(marks == 14)
        }
    }

    @Test("Cut in any message that is said or heard, a transaction is there once, or not, or nobody knows; and the next one goes well")
    func anyMessage() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.connections = 1
        try await CutFixture.run(settings: settings) { fixture in
            var expected = 0
            for direction in [CuttingSocket.Cut.said, CuttingSocket.Cut.heard] {
                var length = 0
                while true {
                    fixture.socket.cut(direction(length))
                    do {
                        try await fixture.database.countHit()
                        expected += 1
                    } catch SQLError.outcomeUnknown {
                        let found = try await fixture.settledHits()
                        #expect(found == expected || found == expected + 1)
                        expected = found
                    } catch SQLError.unavailable {
                        // Cut while a connection was made: nothing had begun.
                    }
                    #expect(try await fixture.database.hits() == expected)
                    // The look at the end goes over the same wire.
                    if !fixture.socket.hasCut { break }
                    length += Self.shortestMessage
                }
                #expect(length > 100)
            }
        }
    }

    @Test("After the server was ended by force everybody is told so until it is there again; then all goes on, with whatever was acknowledged")
    func serverKilled() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name)
        try await database.migrate(sampleSchema)
        for _ in 0..<5 { try await database.countHit() }
        try cluster.kill()
        let outcomes = await withTaskGroup { group in
            for _ in 0..<12 {
                group.addTask { () -> SQLError? in
                    do { try await database.countHit() } catch { return error as? SQLError }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        // Its other processes may serve what they had begun.
        #expect(outcomes.allSatisfy { [nil, SQLError.unavailable, .outcomeUnknown].contains($0) })
        try await cluster.restart()
        let hits = try await database.hits()
        #expect(hits >= 5 + outcomes.count { $0 == nil } && hits <= 17 - outcomes.count { $0 == .unavailable })
        try await database.countHit()
        #expect(try await database.hits() == hits + 1)
        await database.close()
    }

    @Test("A connection that the server has ended while nobody used it costs nobody anything")
    func endedIdle() async throws {
        try await PostgreSQLDatabase.lend { database in
            try await database.migrate(sampleSchema)
            let cluster = try await PostgreSQLCluster.shared
            let name = try await database.read { try $0.one("SELECT current_database()::text AS name")?.text("name") }
            try await cluster.run(["SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(try #require(name))'"])
            try await database.countHit()
            #expect(try await database.hits() == 1)
        }
    }

    @Test("A server that says nothing more is given up: before COMMIT the body runs again elsewhere, at COMMIT nobody knows")
    func silence() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.silence = 1_500
        try await PostgreSQLDatabase.lend(settings: settings) { database in
            try await database.migrate(sampleSchema)
            let runs = Runs()
            try await database.transaction { connection in
                if runs.begin() == 1 { _ = try connection.query("SELECT pg_sleep(4)::text") }
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
            }
            #expect(runs.count == 2)
            // A reference that is checked at the end, by a trigger that takes long.
            try await database.transaction { connection in
                try connection.execute(
                    "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(4); RETURN NULL; END'")
                try connection.execute(
                    "CREATE CONSTRAINT TRIGGER slow AFTER UPDATE ON counter DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slowly()")
            }
            await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
        }
    }
}
