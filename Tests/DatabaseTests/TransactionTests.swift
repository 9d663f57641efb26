import Database
import OstiaryTesting
import Testing

@Suite("Transactions")
struct TransactionTests {
    @Test("No increment is lost, however many callers write at once", arguments: Backend.allCases)
    func concurrentIncrements(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await withThrowingTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask {
                        for _ in 0..<5 { try await database.countHit() }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await database.hits() == 320)
        }
    }

    @Test("A failing caller takes back its own changes and nobody else's", arguments: Backend.allCases)
    func failureIsAlone(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let refusals = await withTaskGroup { group in
                for number in 0..<60 {
                    group.addTask { await hitOrRefuse(number, in: database) }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(refusals.sorted() == (0..<60).filter { $0 % 3 == 0 })
            let hits = try await database.hits()
            #expect(hits == 40)
        }
    }

    @Test("What a body does before it throws is gone", arguments: Backend.allCases)
    func thrownBodyLeavesNothing(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            await #expect(throws: Refused(number: 7)) {
                try await database.transaction { connection in
                    try connection.execute("INSERT INTO counter (name, value) VALUES ('half', 1)")
                    throw Refused(number: 7)
                }
            }
            let rows = try await database.read { try $0.query("SELECT name FROM counter") }
            #expect(try rows.map { try $0.text("name") } == ["hits"])
        }
    }

    @Test("A statement that fails and is caught inside a body leaves the rest of the body in force", arguments: Backend.allCases)
    func caughtErrorInsideBody(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let caught = try await database.transaction { connection -> SQLError? in
                try connection.execute("UPDATE counter SET value = 10 WHERE name = 'hits'")
                do {
                    try connection.execute("INSERT INTO counter (name, value) VALUES ('hits', 1)")
                    return nil
                } catch let error as SQLError {
                    return error
                }
            }
            #expect(caught == .uniqueViolation(backend.word(sqlite: "counter.name", postgresql: "counter_pkey")))
            #expect(try await database.hits() == 10)
        }
    }

    @Test("A reference that is checked at commit only fails its own caller", arguments: Backend.allCases)
    func deferredReference(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let errors = await withTaskGroup { group in
                for number in 0..<60 {
                    group.addTask { await hitOrBreak(number, in: database) }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            let hits = try await database.hits()
            #expect(errors == [SQLError](repeating: .foreignKeyViolation, count: 20))
            #expect(hits == 40)
        }
    }

    @Test("A body that ends the transaction itself is told so, and the database goes on", arguments: Backend.allCases)
    func bodyThatCommits(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            await #expect(throws: SQLError.transactionLost) {
                try await database.transaction { try $0.execute("ROLLBACK") }
            }
            try await database.countHit()
            #expect(try await database.hits() == 1)
        }
    }

    @Test("Exactly one of many callers takes a thing that can be taken once", arguments: Backend.allCases)
    func oneWinner(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            let taken = try await withThrowingTaskGroup { group in
                for _ in 0..<32 {
                    group.addTask {
                        try await database.transaction { connection in
                            try connection.one("UPDATE counter SET value = 1 WHERE name = 'hits' AND value = 0 RETURNING value") != nil
                        }
                    }
                }
                return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
            }
            #expect(taken == 1)
        }
    }

    @Test("After close, everything is refused and closing again is harmless", arguments: Backend.allCases)
    func closed(on backend: Backend) async throws {
        try await backend.withDatabase { database in
            try await database.close()
            await #expect(throws: SQLError.closed) { try await database.hits() }
            await #expect(throws: SQLError.closed) { try await database.countHit() }
        }
    }

    @Test("A close in the middle finishes what was begun and refuses the rest: exactly what was acknowledged is in the file")
    func closeFinishesWhatWasBegun() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        let acknowledged = try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    if number == 20 { try await database.close() }
                    do {
                        try await database.countHit()
                        return 1
                    } catch SQLError.closed {
                        return 0
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        let again = try SQLiteDatabase.open(path: folder.databasePath)
        #expect(try await again.hits() == acknowledged)
        try await again.close()
    }
}

/// One more hit, or for every third number a refusal after the hit; answers the number of a refusal.
private func hitOrRefuse(_ number: Int, in database: any Database) async -> Int? {
    do {
        try await database.transaction { connection in
            try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
            if number % 3 == 0 { throw Refused(number: number) }
        }
        return nil
    } catch {
        return (error as? Refused)?.number ?? -1
    }
}

/// One more hit, or for every third number a hit and a note whose parent does not exist; answers the error.
private func hitOrBreak(_ number: Int, in database: any Database) async -> SQLError? {
    do {
        try await database.transaction { connection in
            try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
            if number % 3 == 0 { try connection.execute("INSERT INTO note (counter, parent) VALUES ('hits', 999)") }
        }
        return nil
    } catch {
        return error as? SQLError ?? .closed
    }
}
