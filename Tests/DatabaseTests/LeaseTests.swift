import Database
import OstiaryTesting
import Testing

@Suite("Leases: work that only one node may do")
struct LeaseTests {
    /// Lends the leases of two nodes on one database. Every body runs twice, and commits are lost as `plan` says.
    private func run(
        on engine: SharedBackend, _ plan: LosingDatabase.Plan = .none, _ body: (_ first: Lease, _ second: Lease) async throws -> Void
    ) async throws {
        try await engine.withDatabases { databases in
            try await databases[0].migrate([Migration(1, "leases") { Lease.tables($0) }])
            let leases = zip(databases, [1, 2] as [UInt8]).map { database, node in
                LosingDatabase(RerunningDatabase(database) { Issue.record("\($0)") }, plan)
                    .lease("work", for: 60, holder: [UInt8](repeating: node, count: 16))
            }
            try await body(leases[0], leases[1])
        }
    }

    @Test(
        "Taken by one, it is that one's for as long as it renews it", arguments: SharedBackend.allCases,
        [.none, .each(.kept), .each(.gone)] as [LosingDatabase.Plan])
    func taken(on engine: SharedBackend, _ plan: LosingDatabase.Plan) async throws {
        try await run(on: engine, plan) { (first, second) async throws in
            for now in stride(from: 1_000 as UInt64, through: 1_600, by: 5) {
                #expect(try await first.isHeld(at: now))
                #expect(try await !second.isHeld(at: now))
            }
        }
    }

    @Test(
        "Into a table that has no key yet, as beneath a restore, no node writes: its key can be made afterwards",
        arguments: SharedBackend.allCases.filter { $0 == .postgresql })
    func withoutKey(on engine: SharedBackend) async throws {
        try await engine.withDatabases { databases in
            try await databases[0].migrate([Migration(1, "leases") { Lease.tables($0) }])
            try await databases[0].transaction { connection, _ -> Void in try connection.execute("ALTER TABLE lease DROP CONSTRAINT lease_pkey") }
            let lease = databases[1].lease("work", for: 60, holder: [UInt8](repeating: 1, count: 16))
            await #expect(throws: SQLError.indexMissing(path: databases[1].place)) { try await lease.isHeld(at: 1) }
            #expect(try await databases[0].rows("SELECT name FROM lease", []).isEmpty)
            try await databases[0].transaction { connection, _ -> Void in try connection.execute("ALTER TABLE lease ADD PRIMARY KEY (name)") }
            #expect(try await lease.isHeld(at: 2))
        }
    }

    @Test("Of many that ask at once one has it", arguments: SharedBackend.allCases)
    func atOnce(on engine: SharedBackend) async throws {
        try await run(on: engine) { (first, second) async throws in
            let answers = try await withThrowingTaskGroup(of: (Bool, Bool).self) { group in
                for _ in 0..<8 {
                    for (isFirst, lease) in [(true, first), (false, second)] {
                        group.addTask {
                            let isHeld = try await lease.isHeld(at: 1)
                            return (isFirst, isHeld)
                        }
                    }
                }
                return try await group.reduce(into: [(Bool, Bool)]()) { $0.append($1) }
            }
            let holders = Set(answers.filter(\.1).map(\.0))
            #expect(holders.count == 1)
            #expect(answers.filter(\.1).count == 8)
        }
    }

    @Test(
        "A holder that is late has lost it as soon as another has seen its turn for a whole life",
        arguments: SharedBackend.allCases, [.none, .each(.kept)] as [LosingDatabase.Plan])
    func late(on engine: SharedBackend, _ plan: LosingDatabase.Plan) async throws {
        try await run(on: engine, plan) { (first, second) async throws in
            #expect(try await first.isHeld(at: 0))
            for now in stride(from: 0 as UInt64, through: 45, by: 15) { #expect(try await !second.isHeld(at: now)) }
            #expect(try await !second.isHeld(at: 59))
            #expect(try await second.isHeld(at: 60))
            #expect(try await !first.isHeld(at: 60))
            for now in stride(from: 65 as UInt64, through: 300, by: 5) {
                #expect(try await second.isHeld(at: now))
                #expect(try await !first.isHeld(at: now))
            }
        }
    }

    @Test("A turn that was late, or ahead of the clock, is over also while the database is gone: a clock put back does not bring it again")
    func over() async throws {
        for first in [1_035, 900] as [UInt64] {
            let folder = try TemporaryFolder()
            let database = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared, readers: 1)
            try await database.migrate([Migration(1, "leases") { Lease.tables($0) }])
            let lease = database.lease("work", for: 60, holder: [UInt8](repeating: 1, count: 16))
            #expect(try await lease.isHeld(at: 1_000))
            try await database.close()
            #expect(try await lease.isHeld(at: 1_010))
            await #expect(throws: SQLError.self) { try await lease.isHeld(at: first) }
            await #expect(throws: SQLError.self) { try await lease.isHeld(at: 1_010) }
        }
    }

    @Test("Late, and nobody took it: it goes on", arguments: SharedBackend.allCases)
    func lateAlone(on engine: SharedBackend) async throws {
        try await run(on: engine) { (first, second) async throws in
            #expect(try await first.isHeld(at: 0))
            #expect(try await first.isHeld(at: 10_000))
            #expect(try await !second.isHeld(at: 10_000))
        }
    }

    @Test(
        "Handed on at an orderly stop it is another's at once, and never again that of the one that stopped", arguments: SharedBackend.allCases)
    func handedOn(on engine: SharedBackend) async throws {
        try await run(on: engine, .each(.kept)) { (first, second) async throws in
            #expect(try await first.isHeld(at: 0))
            #expect(try await !second.isHeld(at: 1))
            try await first.release()
            #expect(try await second.isHeld(at: 2))
            #expect(try await !first.isHeld(at: 3))
            // What was never its own it does not give away.
            try await first.release()
            #expect(try await second.isHeld(at: 40))
            #expect(try await !first.isHeld(at: 200))
        }
    }

    @Test(
        "Clocks that differ, or are put forth or back, give it to nobody a second time", arguments: SharedBackend.allCases,
        [0, 86_400, 315_360_000] as [UInt64])
    func clocks(on engine: SharedBackend, _ ahead: UInt64) async throws {
        try await run(on: engine) { (first, second) async throws in
            let start: UInt64 = 1_000_000_000
            // By years apart.
            for now in stride(from: start, through: start + 200, by: 5) {
                #expect(try await first.isHeld(at: now))
                #expect(try await !second.isHeld(at: now + ahead))
            }
            // The holder's clock is put forth, and back behind where it began.
            for leap in [start + 200 + ahead, start - 500, start - 400] { #expect(try await first.isHeld(at: leap)) }
            #expect(try await !second.isHeld(at: start + 200 + ahead))
            // The other's clock leaps: that is no proof that the holder is late.
            for leap in [start + 900_000, start, start + 900_000] as [UInt64] { #expect(try await !second.isHeld(at: leap + ahead)) }
            #expect(try await first.isHeld(at: start - 395))
        }
    }

    @Test(
        "Whatever stalls, and however far apart the clocks are, nobody begins before the former holder has stopped for half a life",
        arguments: SharedBackend.allCases, [1, 2, 3, 4, 5, 7] as [UInt64])
    func walk(on engine: SharedBackend, _ seed: UInt64) async throws {
        try await run(on: engine) { (first, second) async throws in
            var draws = seed
            func draw(_ bound: UInt64) -> UInt64 {
                draws = draws &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (draws >> 33) % bound
            }
            let nodes = [(lease: first, offset: draw(1_000_000)), (lease: second, offset: draw(1_000_000))]
            var stalledUntil: [UInt64] = [0, 0]
            var last: (node: Int, at: UInt64)?
            var changes = 0
            for now in stride(from: 5 as UInt64, through: 1_500, by: 5) {
                let node = Int(draw(2))
                if draw(25) == 0 { stalledUntil[node] = now + draw(400) }
                guard now >= stalledUntil[node], try await nodes[node].lease.isHeld(at: now + nodes[node].offset) else { continue }
                if let last, last.node != node {
                    changes += 1
                    #expect(now - last.at >= 30)
                }
                last = (node, now)
            }
            #expect(changes > 0)
        }
    }

    @Test("Where no other node can be, it is held without a row")
    func alone() async throws {
        let database = CountingDatabase(try SQLiteDatabase.inMemory())
        let lease = database.lease("work", for: 60, holder: [1])
        #expect(try await lease.isHeld(at: 1))
        try await lease.release()
        #expect(database.take().statements.isEmpty)
        let folder = try TemporaryFolder()
        let file = try SQLiteDatabase.open(path: folder.databasePath)
        #expect(!file.isShared)
        try await file.close()
    }
}

/// Where several nodes have one database.
enum SharedBackend: String, CaseIterable, Sendable {
    /// One file, with nobody's lock.
    case file
    /// Where one is installed; `scripts/test` sees to it.
    case postgresql

    static var allCases: [SharedBackend] { PostgreSQLCluster.isInstalled ? [.file, .postgresql] : [.file] }

    /// Lends two ways to one new database without tables.
    func withDatabases(_ body: ([any Database]) async throws -> Void) async throws {
        switch self {
        case .file:
            let folder = try TemporaryFolder()
            let databases = try (0..<2).map { _ in try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared, readers: 1) }
            try await body(databases)
            for database in databases { try await database.close() }
        case .postgresql: try await PostgreSQLDatabase.lend(to: 2) { try await body($0) }
        }
    }
}
