import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: commits that are not answered", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct UnansweredCommitTests {
    private static let absent = SQLError.commitsUnanswered(standbys: "absent")

    private static var hasty: PostgreSQLSettings {
        var settings = PostgreSQLSettings.forTests
        (settings.silence, settings.patientCommit) = (1_500, 1_500)
        return settings
    }

    @Test("Where an absent standby is awaited one write finds it out and no other waits; reads go on; each node says why; it ends with its cause")
    func absentStandby() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name, settings: Self.hasty)
        let other = try await cluster.open(name, settings: Self.hasty)
        try await database.migrate(sampleSchema)
        try await database.checkWritable(sampleTables.names)
        try await cluster.change("synchronous_standby_names", to: "absent")
        await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
        for _ in 0..<5 { await #expect(throws: Self.absent) { try await database.countHit() } }
        for node in [database, other] { await #expect(throws: Self.absent) { try await node.checkWritable(sampleTables.names) } }
        // What was not answered is not seen, and nothing else waits there.
        #expect(try await database.hits() == 0)
        #expect(try await Self.waiting(in: other) == 1)

        try await cluster.change("synchronous_standby_names", to: "")
        while (try? await database.checkWritable(sampleTables.names)) == nil { try Task.checkCancellation() }
        try await other.checkWritable(sampleTables.names)
        try await database.countHit()
        #expect(try await database.hits() == 2)
        for node in [database, other] { await node.close() }
    }

    @Test("A role that is told of standbys sees that an awaited one is not there before a commit has waited; another makes nothing up")
    func seenAhead() async throws {
        let cluster = try await PostgreSQLCluster()
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name, settings: Self.hasty)
        try await database.migrate(sampleSchema)
        try await cluster.run(["CREATE ROLE plain LOGIN"])
        let address = cluster.address(of: name, as: "plain")
        let plain = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: Self.hasty) }
        try await cluster.change("synchronous_standby_names", to: "absent")
        // A connection hears of it in its own time.
        for node in [database, plain] { while try await Self.awaited(in: node) != "absent" { try Task.checkCancellation() } }
        await #expect(throws: Self.absent) { try await database.checkWritable(sampleTables.names) }
        try await plain.checkWritable([])
        // Who commits otherwise waits for the one that is not there.
        try await cluster.run(["SET synchronous_commit = local", "GRANT pg_read_all_stats TO plain"])
        await #expect(throws: Self.absent) { try await plain.checkWritable([]) }
        #expect(try await Self.waiting(in: database) == 0)

        try await cluster.change("synchronous_standby_names", to: "")
        for node in [database, plain] { while (try? await node.checkWritable([])) == nil { try Task.checkCancellation() } }
        try await database.countHit()
        for node in [database, plain] { await node.close() }
    }

    @Test("A server that sends its log to nobody waits for none that is named, and is ready")
    func noSenders() async throws {
        let cluster = try await PostgreSQLCluster(settings: ["max_wal_senders = 0"])
        let database = try await cluster.open(try await cluster.makeDatabase(), settings: Self.hasty)
        try await database.migrate(sampleSchema)
        try await cluster.change("synchronous_standby_names", to: "absent")
        while try await Self.awaited(in: database) != "absent" { try Task.checkCancellation() }
        try await database.countHit()
        try await database.checkWritable(sampleTables.names)
        await #expect(throws: NoStandby.notAwaited) { try await database.checkStandby() }
        await database.close()
    }

    @Test("A write heals it too, where nobody asks for readiness")
    func healedByWrites() async throws {
        let cluster = try await PostgreSQLCluster()
        let database = try await cluster.open(try await cluster.makeDatabase(), settings: Self.hasty)
        try await database.migrate(sampleSchema)
        try await cluster.change("synchronous_standby_names", to: "absent")
        await #expect(throws: SQLError.outcomeUnknown) { try await database.countHit() }
        await #expect(throws: Self.absent) { try await database.countHit() }
        try await cluster.change("synchronous_standby_names", to: "")
        while (try? await database.countHit()) == nil { try Task.checkCancellation() }
        #expect(try await database.hits() == 2)
        await database.close()
    }

    @Test("A first start, and one that takes another step, end there with that reason and do not wait for ever")
    func starts() async throws {
        let cluster = try await PostgreSQLCluster()
        let (new, known) = (try await cluster.makeDatabase(), try await cluster.makeDatabase())
        let former = try await cluster.open(known, settings: Self.hasty)
        try await former.migrate(sampleSchema)
        await former.close()
        try await cluster.change("synchronous_standby_names", to: "absent")
        let more = sampleSchema + [Migration(2, "more") { ["CREATE TABLE more (n \($0.integer) NOT NULL)"] }]
        for name in [new, known] {
            let database = try await cluster.open(name, settings: Self.hasty)
            await #expect(throws: Self.absent) { try await database.migrate(more) }
            await database.close()
        }
        try await cluster.change("synchronous_standby_names", to: "")
        for name in [new, known] {
            let database = try await cluster.open(name, settings: Self.hasty)
            // What waited there may still be ending.
            while (try? await database.checkWritable(sampleTables.names)) == nil { try Task.checkCancellation() }
            try await database.migrate(more)
            #expect(try await database.schemaVersion() == 2)
            await database.close()
        }
    }

    @Test("Who waits for a lock that such a commit holds, one of an earlier start too, hears of the standby and of no other process")
    func heldByCommits() async throws {
        let cluster = try await PostgreSQLCluster()
        let (new, known) = (try await cluster.makeDatabase(), try await cluster.makeDatabase())
        var settings = Self.hasty
        settings.lockTimeout = 1_000
        let node = try await cluster.open(known, settings: settings)
        try await node.migrate(sampleSchema)
        try await cluster.change("synchronous_standby_names", to: "absent")
        await #expect(throws: SQLError.outcomeUnknown) { try await node.countHit() }
        let first = try await cluster.open(new, settings: settings)
        await #expect(throws: Self.absent) { try await first.beginSchema() }
        for database in [node, first] { await database.close() }

        // Of the commits of before they know nothing by themselves.
        let other = try await cluster.open(known, settings: settings)
        await #expect(throws: Self.absent) { try await other.countHit() }
        let second = try await cluster.open(new, settings: settings)
        await #expect(throws: Self.absent) { try await second.beginSchema() }
        try await cluster.change("synchronous_standby_names", to: "")
        while (try? await second.beginSchema()) == nil { try Task.checkCancellation() }
        while (try? await other.countHit()) == nil { try Task.checkCancellation() }
        for database in [other, second] { await database.close() }
    }

    @Test("What somebody else holds stays that, also beside a server that waits for nobody")
    func heldByOthers() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.lockTimeout = 1_000
        try await PostgreSQLDatabase.lend(settings: settings, to: 2) { databases in
            try await databases[0].migrate(sampleSchema)
            try await databases[0].transaction { [other = databases[1]] connection in
                try connection.execute("UPDATE counter SET value = value + 1 WHERE name = 'hits'")
                try blocking { await #expect(throws: SQLError.busy) { try await other.countHit() } }
            }
        }
    }

    @Test("It says whom commits wait for and how that is seen, or that they wait for nobody")
    func words() {
        let standby = Self.absent.description
        #expect(standby.contains("commits are not answered") && standby.contains("synchronous_standby_names is absent"))
        #expect(standby.contains("SHOW synchronous_standby_names") && standby.contains("pg_stat_replication"))
        #expect(SQLError.commitsUnanswered(standbys: nil).description.contains("disk"))
        #expect(SQLError.isOutage(Self.absent))
    }

    private static func awaited(in database: any Database) async throws -> String? {
        try await database.read { try $0.one("SELECT current_setting('synchronous_standby_names') AS names")?.text("names") }
    }

    private static func waiting(in database: any Database) async throws -> Int {
        try await database.read { try $0.one("SELECT COUNT(*) AS found FROM pg_stat_activity WHERE wait_event = 'SyncRep'")?.int("found") ?? -1 }
    }
}
