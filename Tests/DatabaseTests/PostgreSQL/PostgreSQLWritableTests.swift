import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: whether it takes writes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLWritableTests {
    @Test("While somebody holds a table against writes it says so, and no longer; who only writes holds none, nor does a step of the schema")
    func heldTable() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.lockTimeout = 100
        try await PostgreSQLDatabase.lend(settings: settings) { database in
            try await database.checkWritable(sampleTables.names)
            try await database.migrate(sampleSchema)
            try await database.checkWritable(sampleTables.names)
            let locks = [
                ("LOCK TABLE counter IN ROW EXCLUSIVE MODE", false), ("LOCK TABLE counter IN SHARE MODE", true),
                ("LOCK TABLE counter IN ACCESS EXCLUSIVE MODE", true), (try #require(database.dialect.stepLock), false),
            ]
            for (lock, isHeld) in locks {
                try await database.transaction { connection in
                    try connection.execute(lock)
                    try blocking {
                        let trouble = await Self.trouble(of: database)
                        #expect(trouble == (isHeld ? .busy : nil), "\(lock)")
                    }
                }
                try await database.checkWritable(sampleTables.names)
            }
        }
    }

    @Test("That it may lose commits, since a setting was changed beneath its connections, a look finds, and then every call until that is mended")
    func lostDurability() async throws {
        let cluster = try await PostgreSQLCluster()
        let database = try await cluster.open(try await cluster.makeDatabase())
        try await database.migrate(sampleSchema)
        try await database.checkInPlace()
        let settings = [("fsync", "fsync is off and full_page_writes is on"), ("full_page_writes", "fsync is on and full_page_writes is off")]
        for (setting, words) in settings {
            try await cluster.change(setting, to: "off")
            // The connection hears of it in its own time.
            while (try? await database.checkInPlace()) != nil { try Task.checkCancellation() }
            await #expect(throws: SQLError.unavailable) { try await database.countHit() }
            let reason = try #require(database.refusal)
            #expect(reason.hasPrefix(words))
            await #expect(throws: Unreachable(reason: reason)) { try await database.checkInPlace() }
            try await cluster.change(setting, to: "on")
            while (try? await database.countHit()) == nil { try Task.checkCancellation() }
            try await database.checkInPlace()
        }
        #expect(try await database.hits() == 2)
        await database.close()
    }

    @Test(
        "After it has refused a write for want of room it says so until there is room, and keeps nothing of what it looked with",
        .enabled(if: PostgreSQLCluster.canHaveSmallDisk, "mounting needs rights that this user has not"))
    func fullDisk() async throws {
        let cluster = try await PostgreSQLCluster(smallDisk: 32)
        let name = try await cluster.makeDatabase(options: "TABLESPACE small")
        let database = try await cluster.open(name)
        try await database.migrate(sampleSchema)
        try await cluster.fillSmallDisk()
        let place = "\(name) at \(cluster.folder):5432"
        await #expect(throws: SQLError.diskFull(path: place)) { try await database.transaction { try Self.fill($0) } }
        for _ in 0..<2 { await #expect(throws: SQLError.diskFull(path: place)) { try await database.checkWritable(sampleTables.names) } }
        // What is there can be read.
        #expect(try await database.hits() == 0)
        try await cluster.emptySmallDisk()
        try await database.checkWritable(sampleTables.names)
        try await database.transaction { try Self.fill($0) }
        let tables = try await database.read { try $0.one("SELECT COUNT(*) AS found FROM pg_class WHERE relname = 'room'")?.int("found") }
        #expect(tables == 0)
        await database.close()
    }

    /// Writes what does not fit into a page that is there, and is not made smaller.
    private static func fill(_ connection: any SQLConnection) throws {
        try connection.execute("INSERT INTO note (counter, body) VALUES ('hits', $1)", [.blob(SeededRandom("room").bytes(60_000))])
    }

    @Test("A table of somebody else's is not waited for, though the role may write to it; those of ours are, one that is not there is none")
    func othersTable() async throws {
        var settings = PostgreSQLSettings.forTests
        settings.lockTimeout = 100
        try await PostgreSQLDatabase.lend(settings: settings) { database in
            try await database.migrate(sampleSchema)
            try await database.transaction { try $0.execute("CREATE TABLE theirs (n int)") }
            try await database.checkWritable(sampleTables.names.union(["absent"]))
            let wanted: [(String, SQLError?)] = [("theirs", nil), ("counter", .busy)]
            for (table, expected) in wanted {
                try await database.transaction { connection in
                    try connection.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
                    try blocking {
                        let trouble = await Self.trouble { try await database.checkStorage(of: sampleTables) }
                        #expect(trouble == expected, "\(table)")
                    }
                }
            }
            try await database.checkStorage(of: sampleTables)
        }
    }

    private static func trouble(of database: PostgreSQLDatabase) async -> SQLError? {
        await trouble { try await database.checkWritable(sampleTables.names) }
    }

    private static func trouble(_ check: () async throws -> Void) async -> SQLError? {
        do { try await check() } catch { return error as? SQLError }
        return nil
    }
}
