import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: rights, memory, and what others have made", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLRightsTests {
    private func open(_ address: PostgreSQLAddress, content: DatabaseContent = .any) async throws -> PostgreSQLDatabase {
        try await onOwnThread { try PostgreSQLDatabase.open(address, content: content, settings: .forTests) }
    }

    @Test("A role that may make no table, or not read one, is told which right it lacks and what gives it; with that it goes on")
    func rights() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "guest_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN"])
        let address = cluster.address(of: name, as: role)
        let database = try await open(address)
        let refusal = SQLError.notAllowed(path: address.description, reason: "permission denied for schema public")
        await #expect(throws: refusal) { try await database.migrate(sampleSchema) }
        #expect("\(refusal)".contains("GRANT USAGE, CREATE ON SCHEMA public"))
        try await cluster.run(["GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        try await database.migrate(sampleSchema)
        try await cluster.run(["REVOKE ALL ON counter FROM \(role)"], in: name)
        let unread = SQLError.notAllowed(path: address.description, reason: "permission denied for table counter")
        await #expect(throws: unread) { try await database.hits() }
        try await cluster.run(["GRANT ALL ON counter TO \(role)"], in: name)
        #expect(try await database.hits() == 0)
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role)"], in: name)
        try await cluster.run(["DROP ROLE \(role)"])
    }

    @Test("Of each table of ours each right that our statements need is asked for by itself, without a write; tables of others are nobody's business")
    func writeRights() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "writer_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let address = cluster.address(of: name, as: role)
        let database = try await open(address)
        try await database.migrate(sampleSchema)
        let tables = SchemaTables(after: sampleSchema, unchanged: ["note"], kept: ["counter"])
        func expect(_ rights: String, lackingOn table: String) async {
            let refusal = SQLError.notAllowed(path: address.description, reason: "it lacks \(rights) on the table \(table)")
            await #expect(throws: refusal) { try await database.check(tables) }
        }
        try await cluster.run(["CREATE TABLE theirs (n int)", "GRANT SELECT ON theirs TO \(role)"], in: name)
        try await database.check(tables)
        for (table, needed, spare) in [("counter", ["SELECT", "INSERT", "UPDATE"], "DELETE"), ("note", ["SELECT", "INSERT", "DELETE"], "UPDATE")] {
            // Of a role that owns nothing.
            try await cluster.run(["ALTER TABLE \(table) OWNER TO ostiary"], in: name)
            await expect(needed.joined(separator: ", "), lackingOn: table)
            try await cluster.run(["GRANT ALL ON \(table) TO \(role)", "REVOKE \(spare) ON \(table) FROM \(role)"], in: name)
            try await database.check(tables)
            for right in needed {
                try await cluster.run(["REVOKE \(right) ON \(table) FROM \(role)"], in: name)
                await expect(right, lackingOn: table)
                try await cluster.run(["GRANT \(right) ON \(table) TO \(role)"], in: name)
            }
            #expect(try await database.hits() == 0)
            try await database.check(tables)
        }
        // It stands before `public` in `search_path`, and keeps nobody from tables that are there.
        try await cluster.run(["CREATE SCHEMA AUTHORIZATION \(role)"], in: name)
        #expect(try await database.hits() == 0)
        try await database.check(tables)
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role)", "DROP ROLE \(role)"], in: name)
    }

    @Test("Rows that are kept elsewhere, behind a view of the table's name, are no table that is gone; of the view rights are asked as of a table")
    func behindView() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "viewer_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let address = cluster.address(of: name, as: role)
        let database = try await open(address)
        try await database.migrate(sampleSchema)
        let tables = SchemaTables(after: sampleSchema)
        try await cluster.run(["ALTER TABLE note RENAME TO note_rows", "CREATE VIEW note AS SELECT * FROM note_rows"], in: name)
        try await cluster.run(["GRANT SELECT, INSERT, UPDATE, DELETE ON note TO \(role)"], in: name)
        try await database.check(tables)
        try await cluster.run(["REVOKE DELETE ON note FROM \(role)"], in: name)
        let refusal = SQLError.notAllowed(path: address.description, reason: "it lacks DELETE on the table note")
        await #expect(throws: refusal) { try await database.check(tables) }
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role) CASCADE", "DROP ROLE \(role)"], in: name)
    }

    @Test(
        "Tables that are gone beneath a program are told as that, with what to do, by whatever is asked next, and are an outage",
        arguments: ["DROP TABLE note, counter CASCADE", "DROP SCHEMA public CASCADE"])
    func tablesGone(_ statement: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let address = cluster.address(of: name)
        let database = try await open(address)
        try await database.migrate(sampleSchema)
        let add: @Sendable (any SQLConnection) throws -> Void = { try $0.write("UPDATE counter SET value = value + 1 WHERE name = 'hits'", []) }
        // From here on it is said with the commit.
        for _ in 0..<2 { try await database.transaction(add) }
        #expect(try await database.hits() == 2)
        try await cluster.run([statement], in: name)
        let gone = SQLError.tableMissing(path: address.description)
        await #expect(throws: gone) { try await database.hits() }
        await #expect(throws: gone) { try await database.countHit() }
        await #expect(throws: gone) { try await database.transaction(add) }
        await #expect(throws: gone) { try await database.rows("SELECT value FROM counter", []) }
        #expect(SQLError.isOutage(gone) && "\(gone)".hasSuffix("stop the server, restore a backup, start it again"))
        await database.close()
    }

    @Test("Memory that the server has not, and rights, are told in words; both pass by an operator's hand")
    func words() {
        let memory = SQLError(PostgreSQLFault(state: "53200", message: "out of shared memory"), reads: false, place: "it")
        #expect(memory == .noMemory(path: "it", reason: "out of shared memory"))
        #expect("\(memory)".contains("raise max_locks_per_transaction"))
        let right = SQLError(PostgreSQLFault(state: "42501", message: "must be owner of table x"), reads: true, place: "it")
        #expect(right == .notAllowed(path: "it", reason: "must be owner of table x"))
        for error in [memory, right] { #expect(SQLError.isOutage(error)) }
        #expect("\(SQLError.busy)".contains("pg_stat_activity") && "\(SQLError.busy)".contains("sqlite3"))
    }

    @Test(
        "A view, a sequence, a function or a type is somebody's, and the database not empty; what an extension has brought is nobody's",
        arguments: [
            ("VIEW theirs", "CREATE VIEW theirs AS SELECT 1 AS one"),
            ("MATERIALIZED VIEW theirs", "CREATE MATERIALIZED VIEW theirs AS SELECT 1 AS one"),
            ("SEQUENCE theirs", "CREATE SEQUENCE theirs"), ("TABLE theirs", "CREATE TABLE theirs (n int)"),
            ("FUNCTION theirs()", "CREATE FUNCTION theirs() RETURNS int LANGUAGE sql AS 'SELECT 1'"),
            ("TYPE theirs", "CREATE TYPE theirs AS ENUM ('a')"), ("TYPE theirs", "CREATE TYPE theirs AS (a int)"),
            ("DOMAIN theirs", "CREATE DOMAIN theirs AS int"),
        ])
    func objects(_ object: String, _ statement: String) async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let address = cluster.address(of: name)
        try await cluster.run([statement], in: name)
        for content in [DatabaseContent.ours, .nothingOrOurs, .nothingOrMoved] {
            await #expect(throws: DatabaseOpenError.notOurs(path: address.description)) { _ = try await open(address, content: content) }
        }
        // Who looked before it was made sets no mark.
        let database = try await cluster.open(name)
        let source = try SQLiteDatabase.inMemory()
        try await source.fillForMove()
        await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: database) }

        try await cluster.run(["ALTER EXTENSION plpgsql ADD \(object)"], in: name)
        await #expect(throws: DatabaseOpenError.empty(path: address.description)) { _ = try await open(address, content: .ours) }
        for content in [DatabaseContent.nothingOrOurs, .nothingOrMoved] { try await open(address, content: content).close() }
        if !object.hasPrefix("TABLE") { try await source.move(to: database) }
        await database.close()
    }

    @Test("A file with a view and no table is somebody's, too")
    func view() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.transaction { try $0.execute("CREATE VIEW theirs AS SELECT 1 AS one") }
        try await database.close()
        for content in [DatabaseContent.ours, .nothingOrOurs, .nothingOrMoved] {
            #expect(throws: DatabaseOpenError.notOurs(path: folder.databasePath)) {
                try SQLiteDatabase.open(path: folder.databasePath, content: content)
            }
        }
    }
}
