import Foundation
import OstiaryMobile
import OstiaryTesting
import Testing

@testable import Database
@testable import OstiaryPhone
@testable import ostiary

/// What an earlier program left, with a row in every table, moved by the command to PostgreSQL and back.
@Suite("ostiary admin move-database, with rows in every table", .enabled(if: PostgreSQLCluster.isInstalled))
struct MovedRowsTests {
    private typealias Server = ServersSite.Server

    /// Kills it in the middle, where no server takes what is there for a database, and gives it again.
    private func run(_ move: KilledMove, of server: Server, in folder: TemporaryFolder) async throws {
        try await move.kill()
        let kind: ServerKind = server == .authentication ? .authentication : .secondFactor
        let settings = [kind.urlSetting: move.to, kind.keySetting: folder.file("\(server.rawValue).kek-of-a-test")]
        let command = server == .authentication ? "serve" : "second-factor"
        let refused = try Program([command, "--data", folder.file("data"), "--print-identity"], environment: settings)
        #expect(try await refused.end() == 1)
        #expect(refused.complaints.contains("finish it with ostiary admin move-database --from"), "\(refused.complaints)")
        let program = try await move.again()
        #expect(program.exitCode == 0, "\(program.complaints)")
        #expect(program.output.contains("counts and hashes are the same on both sides"), "\(program.output)")
    }

    @Test(
        "Row by row both databases arrive, there and back, each move killed in the middle; who was logged in is so, and people log in",
        .timeLimit(.minutes(10)))
    func thereAndBack() async throws {
        let held = try HeldFixture(try #require(HeldFixture.names.last))
        let (site, cluster) = (try await held.site(), try await PostgreSQLCluster.shared)
        // To the schemas of today.
        try await site.open { _ in }
        let names: [Server: String] = [.authentication: try await cluster.makeDatabase(), .secondFactor: try await cluster.makeDatabase()]
        // They go with it.
        let there = SiteDatabases(named: names, of: cluster, in: site.folder.path)
        for (server, name) in names {
            let file = site.file(of: server)
            try await Self.fill(file)
            let before = try await TableRows.all(in: file)
            #expect(before.filter { $0.value.count == 0 && !$0.key.hasPrefix("schema_") }.isEmpty)
            try await run(try KilledMove(.toPostgreSQL, file: file, database: name, of: cluster), of: server, in: site.folder)
            Self.expectSame(before, try await Self.rows(of: name, in: cluster))
        }
        try await site.over(there).open { world in
            for (session, facts) in try held.all("sessions") {
                let nonce = try #require(facts["nonce"]?.string)
                #expect(try await world.backend.isLoggedIn(nonce) == facts["answer"]?["loggedin"]?.bool, "\(session)")
            }
            try await Self.expectLogins(held, in: world)
        }

        let back = site.folder.file("back")
        try FileManager.default.createDirectory(atPath: back, withIntermediateDirectories: true)
        let here = SiteDatabases(in: back)
        for (server, name) in names {
            let before = try await Self.rows(of: name, in: cluster)
            try await run(try KilledMove(.toSQLite, file: here.file(of: server), database: name, of: cluster), of: server, in: site.folder)
            Self.expectSame(before, try await TableRows.all(in: here.file(of: server)))
        }
        site.clock.advance(1)
        try await site.over(here).open { world in try await Self.expectLogins(held, in: world) }
        // Until here.
        #expect(there.file(of: .authentication) == site.file(of: .authentication))
    }

    /// A row in each table that has none: numbers, bytes, and texts with a character that PostgreSQL knows no place for.
    private static func fill(_ path: String) async throws {
        let database = try SQLiteDatabase.open(path: path)
        let tables = try await TableShape.inOrder(of: database).map(\.name).filter { !$0.hasPrefix("schema_") }
        try await database.transaction { connection -> Void in
            for table in tables {
                guard try connection.one("SELECT 1 AS found FROM \"\(table)\" LIMIT 1") == nil else { continue }
                let row = try Self.row(of: table, connection)
                let (names, values) = (row.map(\.name).joined(separator: ", "), row.map(\.value).joined(separator: ", "))
                try connection.execute("INSERT INTO \"\(table)\" (\(names)) VALUES (\(values))")
            }
        }
        try await database.close()
    }

    /// Its columns, and what stands in each; where they refer to another table, a row of that.
    private static func row(of table: String, _ connection: any SQLConnection) throws -> [(name: String, value: String)] {
        let question = "SELECT \"from\" AS name, \"table\" AS referred, \"to\" AS found FROM pragma_foreign_key_list('\(table)')"
        var references: [String: String] = [:]
        for row in try connection.query(question) {
            references[try row.text("name")] = "(SELECT \"\(try row.text("found"))\" FROM \"\(try row.text("referred"))\" LIMIT 1)"
        }
        return try connection.query("SELECT name, type FROM pragma_table_info('\(table)')").map { column in
            let (name, type) = (try column.text("name"), try column.text("type"))
            let value = type == "TEXT" ? "'a' || char(0) || 'ü'" : type == "BLOB" ? "x'00FF80'" : "1"
            return (name: "\"\(name)\"", value: references[name] ?? value)
        }
    }

    private static func rows(of name: String, in cluster: PostgreSQLCluster) async throws -> [String: TableRows] {
        let database = try await cluster.open(name)
        let rows = try await TableRows.all(of: database)
        await database.close()
        return rows
    }

    private static func expectSame(_ before: [String: TableRows], _ after: [String: TableRows]) {
        #expect(before.keys.sorted() == after.keys.sorted())
        for (table, rows) in before {
            let isSame = after[table].map { rows.isSame(as: $0) }
            #expect(isSame == true, "what \(table) holds")
        }
    }

    private static func expectLogins(_ held: HeldFixture, in world: ServersFixture) async throws {
        try await world.expectLogin(of: "alice", by: .pin(try held.text("pins", "usual")))
        try await world.expectLogin(of: "bob", by: .biometric(.confirm))
    }
}
