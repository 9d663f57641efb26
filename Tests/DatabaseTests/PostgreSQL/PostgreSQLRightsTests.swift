import OstiaryTesting
import Testing

@testable import Database

@Suite("PostgreSQL: rights, memory, and what others have made", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(5)))
struct PostgreSQLRightsTests {
    private func open(
        _ address: PostgreSQLAddress, content: DatabaseContent = .any, settings: PostgreSQLSettings = .forTests
    ) async throws -> PostgreSQLDatabase {
        try await onOwnThread { try PostgreSQLDatabase.open(address, content: content, settings: settings) }
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

    @Test("A schema that the role may not use any more is told by its name, whatever is asked and at a start, and its tables are not told as gone")
    func schemaRight() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "user_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let address = cluster.address(of: name, as: role)
        var settings = PostgreSQLSettings.forTests
        settings.connections = 1
        let database = try await open(address, settings: settings)
        try await database.migrate(sampleSchema)
        let tables = SchemaTables(after: sampleSchema)
        #expect(try await database.hits() == 0)
        try await cluster.run(["REVOKE USAGE ON SCHEMA public FROM PUBLIC, \(role)"], in: name)
        let refusal = SQLError.notAllowed(path: address.description, reason: "it lacks USAGE on the schema public")
        for _ in 0..<2 {
            await #expect(throws: refusal) { try await database.hits() }
            await #expect(throws: refusal) { try await database.countHit() }
            await #expect(throws: refusal) { try await database.rows("SELECT value FROM counter", []) }
            await #expect(throws: refusal) { try await database.checkStorage(of: tables) }
        }
        let start = await #expect(throws: DatabaseOpenError.self) { _ = try await open(address) }
        #expect(start.map { "\($0)".contains("this user lacks USAGE on the schema public: grant it") } == true, "\(String(describing: start))")
        try await cluster.run(["GRANT USAGE ON SCHEMA public TO \(role)"], in: name)
        #expect(try await database.hits() == 0)
        try await database.checkStorage(of: tables)
        // Tables of the same name that others keep to themselves, where `search_path` does not lead, are not ours.
        try await cluster.run(
            ["CREATE SCHEMA theirs", "CREATE TABLE theirs.schema_version (n int)", "ALTER TABLE schema_version RENAME TO gone"], in: name)
        await #expect(throws: SQLError.tableMissing(path: address.description)) { try await database.check(tables) }
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role)", "DROP ROLE \(role)"], in: name)
    }

    @Test("A role without any right reads whose a database is by the names of its tables, and one that may read the steps by the first of them")
    func signs() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "stranger_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN"], in: name)
        func sign(_ role: String) async throws -> SchemaSign? {
            let url = DatabaseURL.postgresql(cluster.address(of: name, as: role))
            return try await onOwnThread { try schemaSign(of: url) }
        }
        #expect(try await sign(role) == nil)
        let database = try await cluster.open(name)
        try await database.migrate(sampleSchema)
        let found = (stranger: try await sign(role), owner: try await sign("ostiary"))
        let (seen, read) = (try #require(found.stranger), try #require(found.owner))
        #expect(seen == .tables(["schema_version", "schema_reader", "counter", "note"]) && read == .firstStep("counters"))
        let schema = MovableSchema(migrations: sampleSchema, identifiedBy: [])
        let other = MovableSchema(migrations: [Migration(1, "other") { ["CREATE TABLE other (n \($0.integer))"] }], identifiedBy: [])
        for sign in [seen, read] { #expect(schema.isShown(by: sign) && !other.isShown(by: sign), "\(sign)") }
        #expect(!schema.isShown(by: .tables(["counter"])) && !schema.isShown(by: .tables([])))
        #expect(!MovableSchema(migrations: [], identifiedBy: []).isShown(by: seen))
        await database.close()
        try await cluster.run(["DROP ROLE \(role)"], in: name)
    }

    @Test("Of two tables of one name the one counts that a statement finds, and of the rest of the database the catalogue is asked for nothing")
    func namesOnly() async throws {
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let role = "reader_\(name)"
        try await cluster.run(["CREATE ROLE \(role) LOGIN", "GRANT ALL ON SCHEMA public TO \(role)"], in: name)
        let address = cluster.address(of: name, as: role)
        let database = try await open(address)
        try await database.migrate(sampleSchema)
        try await cluster.run([Self.manyViews], in: name)
        let question = database.dialect.catalogue.tables
        let (names, read) = try await database.read { connection -> ([String], Int) in
            let before = try connection.one(Self.rowsRead)?.int("read") ?? 0
            let names = try connection.query(question, [.text("absent,counter,note")]).map { try $0.text("name") }
            return (names, (try connection.one(Self.rowsRead)?.int("read") ?? 0) - before)
        }
        #expect(names == ["counter", "note"])
        #expect(read < 100, "\(read) rows of the catalogue")
        // It stands before `public` in `search_path`.
        try await cluster.run(["CREATE SCHEMA AUTHORIZATION \(role)", "CREATE TABLE \(role).note (n int)"], in: name)
        let refusal = SQLError.notAllowed(path: address.description, reason: "it lacks SELECT, INSERT, UPDATE, DELETE on the table note")
        await #expect(throws: refusal) { try await database.check(SchemaTables(after: sampleSchema)) }
        await database.close()
        try await cluster.run(["DROP OWNED BY \(role) CASCADE", "DROP ROLE \(role)"], in: name)
    }

    private static let manyViews = """
        DO $$ BEGIN FOR i IN 1..2000 LOOP EXECUTE format('CREATE VIEW theirs_%s AS SELECT 1 AS one', i); END LOOP; END $$
        """

    /// How many rows of its list of tables this connection has gone through, but for those that it has found by an index.
    private static let rowsRead = """
        SELECT pg_stat_get_xact_tuples_returned('pg_class'::regclass) + pg_stat_get_xact_tuples_fetched('pg_class'::regclass) AS read
        """

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
        let asked: [@Sendable () async throws -> Void] = [
            { _ = try await database.hits() }, { _ = try await database.countHit() }, { try await database.transaction(add) },
            { _ = try await database.rows("SELECT value FROM counter", []) },
        ]
        for (place, ask) in asked.enumerated() {
            // A connection that misses a table goes when it is older than a second, and where there is no schema none is made anew.
            let expected = place > 0 && statement.hasPrefix("DROP SCHEMA") ? [gone, .unavailable] : [gone]
            let found = await #expect(throws: SQLError.self) { try await ask() }
            #expect(found.map(expected.contains) == true, "\(place): \(String(describing: found))")
        }
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
        // A statement that can be run as it stands, where the schema is known.
        #expect("\(right)".contains("ON SCHEMA public (or that of its search_path) TO it"))
        for reason in ["it lacks USAGE on the schema ", "permission denied for schema "] {
            let closed = ["Acme Co", "select", "public"].map { "\(SQLError.notAllowed(path: "it", reason: reason + $0))" }
            for (words, name) in zip(closed, [#""Acme Co""#, #""select""#, "public"]) {
                #expect(words.contains("GRANT USAGE, CREATE ON SCHEMA \(name) TO it;"), "\(words)")
            }
        }
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
