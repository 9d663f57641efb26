import OstiaryTesting
import Testing

@testable import Database

/// Such a name was read as SQL reads one without quotes: no start, or tables that were told as gone, or as there.
@Suite("PostgreSQL: a schema whose name is written in quotes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLSchemaNameTests {
    static let names = ["Up", "sp ace", "a.b", "a,b", "We\"\"Ird", "quo'te", "back\\slash", "-", "select"]

    private func trouble(_ work: () async throws -> Void) async -> SQLError? {
        do { try await work() } catch { return error as? SQLError }
        return nil
    }

    @Test("A server makes its tables there, finds them again, waits for who holds one, and a move fills it", arguments: names)
    func serves(_ name: String) async throws {
        try await NamedSchema.lend(name) { place in
            let tables = SchemaTables(after: sampleSchema)
            // Who waits for a lock has one of its own.
            let database = try await place.open(.nothingOrOurs, connections: 2)
            try await database.migrate(sampleSchema)
            try await database.checkStorage(of: tables)
            try await database.transaction { connection in
                try connection.execute("LOCK TABLE counter IN ACCESS EXCLUSIVE MODE")
                try blocking {
                    let found = await trouble { try await database.checkStorage(of: tables) }
                    #expect(found == .busy)
                }
            }
            try await database.checkStorage(of: tables)
            await database.close()
            let again = try await place.open(.ours)
            try await again.migrate(sampleSchema)
            #expect(try await again.hits() == 0)
            await again.close()
        }
        try await NamedSchema.lend(name) { place in
            let source = try SQLiteDatabase.inMemory()
            try await source.fillForMove()
            let target = try await place.open(.nothingOrMoved)
            try await source.move(to: target)
            #expect(try await target.movedRows() == source.movedRows())
            await target.close()
        }
    }

    @Test("Where the role may not use it any more that is told with its name, by what runs and at a start, and no table as gone", arguments: names)
    func closed(_ name: String) async throws {
        try await NamedSchema.lend(name) { place in
            let tables = SchemaTables(after: sampleSchema)
            let database = try await place.open(.any)
            try await database.migrate(sampleSchema)
            try await database.checkStorage(of: tables)
            let refusal = SQLError.notAllowed(path: place.address.description, reason: "it lacks USAGE on the schema \(name)")
            #expect("\(refusal)".contains("GRANT USAGE, CREATE ON SCHEMA \(place.schema) TO it"), "\(refusal)")

            try await place.run(["REVOKE USAGE ON SCHEMA \(place.schema) FROM \(place.group)"])
            await #expect(throws: refusal) { try await database.hits() }
            await #expect(throws: refusal) { try await database.checkStorage(of: tables) }
            try await expectNoStart(at: place)
            try await place.run(["GRANT USAGE ON SCHEMA \(place.schema) TO \(place.group)"])
            try await database.checkStorage(of: tables)

            // What is connected may go on finding the tables.
            try await place.run(["REVOKE \(place.group) FROM \(place.role)"])
            await #expect(throws: refusal) { try await database.checkStorage(of: tables) }
            try await expectNoStart(at: place)
            try await place.run(["GRANT \(place.group) TO \(place.role)"])
            try await database.checkStorage(of: tables)
            await database.close()
        }
    }

    @Test("A schema that a role may use again is found by what is connected, also where the server had noted meanwhile that it may not")
    func openedAgain() async throws {
        try await NamedSchema.lend("left") { place in
            let tables = SchemaTables(after: sampleSchema)
            let database = try await place.open(.any)
            try await database.migrate(sampleSchema)
            try await database.checkStorage(of: tables)
            for number in 1...2 {
                // Any change of the list of schemas has a connection look anew which of them it may use; that a role is a member again changes nothing there.
                try await place.run(["REVOKE \(place.group) FROM \(place.role)", "CREATE SCHEMA passing_\(number)"])
                await #expect(throws: SQLError.self) { try await database.hits() }
                try await place.run(["GRANT \(place.group) TO \(place.role)"])
                if number == 1 { try await database.checkStorage(of: tables) }
                // By a statement that the connection knows, and by one that it has never met.
                #expect(try await database.hits() == 0)
                #expect(try await database.read { try $0.query("SELECT name FROM counter WHERE value > \(number)").count } == 0)
            }
            await database.close()
        }
    }

    /// Asks until it is answered, or for half a minute.
    private func answered(_ database: PostgreSQLDatabase) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if await trouble({ _ = try await database.hits() }) == nil { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("Connections of a time in which search_path led elsewhere find the tables once it is right, without a restart")
    func elsewhere() async throws {
        try await NamedSchema.lend("left") { place in
            let database = try await place.open(.any)
            try await database.migrate(sampleSchema)
            try await place.run([
                "CREATE SCHEMA other", "GRANT USAGE ON SCHEMA other TO \(place.group)", "ALTER DATABASE \(place.database) SET search_path = other",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(place.role)'",
            ])
            await #expect(throws: SQLError.tableMissing(path: place.address.description)) { try await database.hits() }
            try await place.run(["ALTER DATABASE \(place.database) SET search_path = \(place.schema)"])
            #expect(try await answered(database))
            await database.close()
        }
    }

    private func expectNoStart(at place: NamedSchema) async throws {
        let start = await #expect(throws: DatabaseOpenError.self) { _ = try await place.open(.any) }
        #expect(start.map { "\($0)".contains("this user lacks USAGE on the schema \(place.name): grant it") } == true, "\(String(describing: start))")
    }

    @Test("A schema that was never used and is closed is named, too: the first of those in search_path that are there")
    func neverUsed() async throws {
        try await NamedSchema.lend("a, \"b") { place in
            try await place.run([
                "REVOKE \(place.group) FROM \(place.role)", "CREATE SCHEMA later",
                "ALTER DATABASE \(place.database) SET search_path = \"$user\", absent, \(place.schema), later",
            ])
            try await expectNoStart(at: place)
        }
    }

    @Test("A schema that is renamed beneath a server is told as one whose tables are gone; under the new name they are found")
    func renamed() async throws {
        try await NamedSchema.lend("plain") { place in
            let tables = SchemaTables(after: sampleSchema)
            let database = try await place.open(.any)
            try await database.migrate(sampleSchema)
            try await database.checkStorage(of: tables)
            try await place.run(["ALTER SCHEMA plain RENAME TO \"UP\""])
            await #expect(throws: SQLError.tableMissing(path: place.address.description)) { try await database.checkStorage(of: tables) }
            await database.close()
            try await place.run(["ALTER DATABASE \(place.database) SET search_path = \"UP\""])
            let again = try await place.open(.ours)
            try await again.checkStorage(of: tables)
            await again.close()
        }
    }
}

/// A database where a role has its tables in one schema, which it may use by a group.
private struct NamedSchema: Sendable {
    let cluster: PostgreSQLCluster
    let database: String
    let name: String

    /// As a statement has it.
    var schema: String { "\"" + name.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\"" }
    var role: String { "member_\(database)" }
    var group: String { "group_\(database)" }
    var address: PostgreSQLAddress { cluster.address(of: database, as: role) }

    static func lend(_ name: String, _ body: (NamedSchema) async throws -> Void) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let place = NamedSchema(cluster: cluster, database: try await cluster.makeDatabase(), name: name)
        defer { cluster.leave(place.database) }
        try await place.run([
            "CREATE ROLE \(place.role) LOGIN", "CREATE ROLE \(place.group)", "GRANT \(place.group) TO \(place.role)",
            "REVOKE ALL ON SCHEMA public FROM PUBLIC", "CREATE SCHEMA \(place.schema)", "GRANT ALL ON SCHEMA \(place.schema) TO \(place.group)",
            "ALTER DATABASE \(place.database) SET search_path = \(place.schema)",
        ])
        try await body(place)
        try await place.run(["DROP OWNED BY \(place.role), \(place.group) CASCADE", "DROP ROLE \(place.role), \(place.group)"])
    }

    func run(_ statements: [String]) async throws { try await cluster.run(statements, in: database) }

    /// - Parameter connections: one is asked all that is asked, before and after.
    func open(_ content: DatabaseContent, connections: Int = 1) async throws -> PostgreSQLDatabase {
        var settings = PostgreSQLSettings.forTests
        (settings.connections, settings.lockTimeout) = (connections, 100)
        let (address, wanted) = (address, settings)
        return try await onOwnThread { try PostgreSQLDatabase.open(address, content: content, settings: wanted) }
    }
}
