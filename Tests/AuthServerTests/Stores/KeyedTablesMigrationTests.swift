import Database
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Small rows that moved into the index of their key")
struct KeyedTablesMigrationTests {
    private static let tables = ["pin_change", "pending_close", "oauth_family", "oauth_user"]

    private static let rows = [
        "INSERT INTO instance (id, server, last) VALUES (x'01', x'aa', 3), (x'02', x'aa', 4)",
        """
        INSERT INTO pin_change (instance, attempt, account, methods, verified_at, epoch, share, set_attempt, set_epoch, set_made_at)
        VALUES (x'02', x'12', x'22', 1, 5, 6, x'32', NULL, NULL, NULL), (x'01', x'11', x'21', 2, 7, 8, x'31', x'41', 9, 10)
        """,
        "INSERT INTO pending_close (instance, server, since, attempts, due_at) VALUES (x'03', x'aa', 11, 12, 13), (x'02', x'ab', 14, 15, 16)",
        """
        INSERT INTO oauth_grant (id, server, client, account, session, held_by, scopes, auth_time, acr, amr, created_at)
        VALUES (x'04', x'aa', 'shop', x'21', x'05', 1, 'openid', 17, 'mfa', 'pin', 18), (x'06', x'aa', 'shop', x'22', x'07', 1, 'openid', 19, 'mfa', 'pin', 20)
        """,
        """
        INSERT INTO oauth_family (grant_id, server, client, bound_to, bound_key, absolute, idle, created_at, generation, renewed_at, used_at)
        VALUES (x'06', x'aa', 'shop', 2, x'08', 21, NULL, 22, 23, 24, 25), (x'04', x'aa', 'shop', 0, NULL, NULL, 26, 27, 28, 29, 30)
        """,
        """
        INSERT INTO oauth_user (server, user_id, name, picture, email, email_verified, roles)
        VALUES (x'aa', 'bob', 'Bob', NULL, 'bob@mail.example', 1, 'staff'), (x'aa', 'alice', NULL, 'https://id.example/alice.png', NULL, 0, '')
        """,
    ]

    private static func content(of database: any Database) async throws -> [String: [[SQLValue]]] {
        try await database.read { connection in
            var content: [String: [[SQLValue]]] = [:]
            for table in Self.tables { content[table] = try connection.query("SELECT * FROM \(table) ORDER BY 1, 2").map(\.values) }
            return content
        }
    }

    @Test("Every row is found afterwards, column by column, and what hangs on an instance or on a grant still goes with it, and not without")
    func kept() async throws {
        let database = RerunningDatabase(try SQLiteDatabase.inMemory()) { Issue.record("\($0)") }
        let before = AuthenticationSchema.migrations.prefix { $0.name != "small rows that are found by one key stand in its index" }
        try #require(before.count < AuthenticationSchema.migrations.count)
        try await database.migrate(Array(before))
        try await database.transaction { connection in
            for statement in Self.rows { try connection.execute(statement) }
        }
        let held = try await Self.content(of: database)
        #expect(held.values.allSatisfy { $0.count == 2 })
        try await database.migrate(AuthenticationSchema.migrations)
        #expect(try await Self.content(of: database) == held)
        let keyed = try await database.read { connection in
            try connection.query("SELECT name FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID'").map { try $0.text("name") }
        }
        #expect(Set(Self.tables).isSubset(of: keyed))
        try await database.transaction { connection in
            try connection.execute("DELETE FROM instance WHERE id = x'01'")
            try connection.execute("DELETE FROM oauth_grant WHERE id = x'04'")
        }
        let left = try await Self.content(of: database)
        for table in ["pin_change", "oauth_family"] { #expect(left[table] == held[table].map { [$0[1]] }) }
        await #expect(throws: SQLError.foreignKeyViolation) {
            try await database.transaction { connection in
                try connection.execute("UPDATE pin_change SET instance = x'99'")
            }
        }
        await #expect(throws: SQLError.foreignKeyViolation) {
            try await database.transaction { connection in
                try connection.execute("UPDATE oauth_family SET grant_id = x'99'")
            }
        }
    }
}
