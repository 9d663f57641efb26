import Database
import OstiaryTesting
import Testing

@Suite("A database that does not know what became of a commit")
struct LosingDatabaseTests {
    private func losing(_ plan: LosingDatabase.Plan) async throws -> LosingDatabase {
        let base = try SQLiteDatabase.inMemory()
        try await base.migrate(sampleSchema)
        return LosingDatabase(base, plan)
    }

    @Test("What is lost is kept, or gone, and in both cases the caller hears that nobody knows", arguments: LosingDatabase.Loss.allCases)
    func lost(_ loss: LosingDatabase.Loss) async throws {
        let database = try await losing(.only(2, loss))
        try await database.countHit()
        await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
        #expect(try await database.hits() == (loss == .kept ? 2 : 1))
        #expect(database.transactions == 2 && database.losses == 1)
        // Whoever only asks once more counts twice what was kept.
        try await database.countHit()
        #expect(try await database.hits() == (loss == .kept ? 3 : 2))
    }

    @Test("A body that throws comes to no commit that could be lost")
    func throwing() async throws {
        let database = try await losing(.each(.kept))
        await #expect(throws: Refused(number: 1)) { try await database.transaction { _ in throw Refused(number: 1) } }
        #expect(database.losses == 0)
    }

    @Test("Where each is lost, whoever looks again is answered, also among others")
    func each() async throws {
        let database = try await losing(.each(.gone))
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<3 {
                        await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
                        try await database.countHit()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await database.hits() == 48)
    }

    @Test("A draw keeps some and takes back others, and the same again the next time")
    func drawn() async throws {
        var kept: [Int] = []
        for _ in 0..<2 {
            let database = try await losing(.drawn(11))
            for _ in 0..<20 {
                await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
                _ = try await database.transaction { _ in 0 }
            }
            kept.append(try await database.hits())
        }
        #expect(kept[0] == kept[1] && (1...19).contains(kept[0]))
    }
}
