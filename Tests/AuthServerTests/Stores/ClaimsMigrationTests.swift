import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("A database in which no API added claims, and no client asked for any by name")
struct ClaimsMigrationTests {
    @Test("What an operator wrote and what people gave before is as it was: nothing is told that was not")
    func kept() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await database.migrate(AuthenticationSchema.migrations.filter { $0.number <= 32 })
        try await database.transaction { connection in
            try connection.execute(
                """
                INSERT INTO oauth_api (server, identifier, name, scopes, form, algorithm, life, session_life, offline, skips_consent, checks_permissions)
                VALUES ($1, $2, 'Things', $3, 'jwt', 'ES256', 86400, 300, 1, 1, 0)
                """, [SQLValue(Sample.server), .text(Sample.api.text), .text("read read what you have\nwrite change it")])
            try connection.execute(
                """
                INSERT INTO oauth_grant (id, server, client, account, session, held_by, scopes, api, auth_time, acr, amr, nonce, created_at)
                VALUES ($1, $2, $3, $4, $5, 1, 'openid read', $6, $7, 'mfa', 'mfa pin', 'n-1', $8)
                """,
                [
                    SQLValue(Sample.grantID(5)), SQLValue(Sample.server), .text(Sample.client.text), SQLValue(Sample.accountID(1)),
                    SQLValue(Sample.sessionID(3)), .text(Sample.api.text), SQLValue(Sample.now - 5), SQLValue(Sample.now),
                ])
        }
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: .random())
        #expect(try await store.read { rows in try rows.api(Sample.api, of: Sample.server) } == Sample.protectedAPI())
        #expect(try await store.read { rows in try rows.grant(Sample.grantID(5)) } == Sample.grant(5, on: 3, of: 1))
    }
}
