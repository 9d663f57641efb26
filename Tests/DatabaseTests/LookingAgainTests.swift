import Database
import OstiaryTesting
import Testing

@Suite("Looking again")
struct LookingAgainTests {
    private static let key: [SQLValue] = [.text("mine")]

    private func losing(_ plan: LosingDatabase.Plan) async throws -> LosingDatabase {
        let base = try SQLiteDatabase.inMemory()
        try await base.migrate(sampleSchema)
        return LosingDatabase(base, plan)
    }

    /// Counts a hit under a key of its own, once, and answers how many looks it took.
    private func count(in database: any Database) async throws -> Int {
        try await database.transaction { connection, former -> Int in
            let isNew = try connection.execute("INSERT INTO counter (name, value) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING", Self.key) == 1
            if isNew { try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'") }
            return (former ?? 0) + 1
        }
    }

    @Test("The effect is there once, and the second look knows what the first answered", arguments: LosingDatabase.Loss.allCases)
    func once(_ loss: LosingDatabase.Loss) async throws {
        let database = try await losing(.each(loss))
        #expect(try await count(in: database) == 2)
        #expect(try await database.hits() == 1)
        #expect(database.losses == 1 && database.transactions == 2)
    }

    @Test("Where nothing is lost there is one look")
    func untroubled() async throws {
        let database = try await losing(.none)
        #expect(try await count(in: database) == 1)
        #expect(database.transactions == 1)
    }

    @Test("Lost a second time nobody knows, and the effect is still there once or not at all", arguments: LosingDatabase.Loss.allCases)
    func twice(_ loss: LosingDatabase.Loss) async throws {
        let database = try await losing(.all(loss))
        await #expect(throws: SQLError.outcomeUnknown) { try await count(in: database) }
        #expect(try await database.hits() == (loss == .kept ? 1 : 0))
        #expect(database.transactions == 2)
    }

    @Test(
        "Where the second look is refused before it begins nobody knows, though the refusal says that nothing was begun",
        arguments: LosingDatabase.Loss.allCases, [SQLError.busy, .unavailable, .diskFull(path: "here")])
    func refused(_ loss: LosingDatabase.Loss, _ refusal: SQLError) async throws {
        let database = try await losing(.refusing(loss, refusal))
        await #expect(throws: SQLError.outcomeUnknown) { try await count(in: database) }
        #expect(try await database.hits() == (loss == .kept ? 1 : 0))
        #expect(database.losses == 1 && database.transactions == 2)
        // The next call is another one.
        #expect(try await count(in: database) == 1)
        #expect(try await database.hits() == 1)
    }

    @Test("What says why nobody knows stays as it is, and so does what is no outage, or comes from a look that began")
    func reasons() async throws {
        for error in [SQLError.commitsUnanswered(standbys: "absent"), .closed] {
            let database = try await losing(.refusing(.kept, error))
            await #expect(throws: error) { try await count(in: database) }
        }
        let database = try await losing(.each(.gone))
        await #expect(throws: SQLError.busy) {
            try await database.transaction { _, former -> Int in
                guard former == nil else { throw SQLError.busy }
                return 7
            }
        }
    }

    @Test("What a body throws, in either look, is thrown")
    func throwing() async throws {
        let database = try await losing(.each(.gone))
        await #expect(throws: Refused(number: 1)) { try await database.transaction { _, _ -> Int in throw Refused(number: 1) } }
        await #expect(throws: Refused(number: 2)) {
            try await database.transaction { _, former -> Int in
                guard former == nil else { throw Refused(number: 2) }
                return 7
            }
        }
        #expect(try await database.hits() == 0)
    }

    @Test("A schema is made though each of its commits is lost once", arguments: LosingDatabase.Loss.allCases)
    func migrations(_ loss: LosingDatabase.Loss) async throws {
        let database = LosingDatabase(try SQLiteDatabase.inMemory(), .each(loss))
        try await database.migrate(sampleSchema)
        database.lose(.none)
        #expect(try await database.schemaVersion() == 1)
        #expect(try await database.hits() == 0)
    }
}
