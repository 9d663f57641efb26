import Authentication
import Database
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("A database in which no login demanded anything, and nobody was named in the audit trail")
struct RequestMigrationTests {
    @Test("What was asked before asks what the server's policy asks, in the name of the server, and says what it said")
    func kept() async throws {
        let database = try SQLiteDatabase.inMemory()
        let before = Array(AuthenticationSchema.migrations.prefix(19))
        try #require(before.count < AuthenticationSchema.migrations.count)
        try await database.migrate(before)
        let (ticket, cookie) = (PageSecret(using: SystemRandomSource()), PageSecret(using: SystemRandomSource()))
        let browser = BrowserColumn(shown: Sample.request.shown, notes: Sample.request.notes).encoded
        try await database.transaction { connection in
            try connection.execute(
                """
                INSERT INTO session (id, server, purpose, preselected, browser, started_at, state, not_me)
                VALUES ($1, $2, 1, $3, $4, $5, 0, 0)
                """,
                [
                    SQLValue(Sample.sessionID(3)), SQLValue(Sample.server), SQLValue(Sample.accountID(1)), .blob(browser), SQLValue(Sample.now),
                ])
            try connection.execute(
                """
                INSERT INTO page (ticket_hash, kind, server_id, nonce_hash, name, expires_at, browser, account)
                VALUES ($1, 'login', $2, $3, '', $4, $5, $6)
                """,
                [
                    .blob(ticket.hash), SQLValue(Sample.server), .blob(Sample.bytes(8)), SQLValue(Sample.now + 60), .blob(browser),
                    SQLValue(Sample.accountID(1)),
                ])
            try connection.execute(
                "INSERT INTO audit (kind, server, at) VALUES ('pinChanged', $1, $2)", [SQLValue(Sample.server), SQLValue(Sample.now)])
        }
        try await database.migrate(AuthenticationSchema.migrations)
        var asked = Sample.request
        asked.client = nil
        asked.demand = .policy
        let store = SQLAuthenticationStore(database: database, key: .random())
        let found = try await store.read { rows in try rows.session(Sample.sessionID(3)) }
        #expect(found?.request == asked)
        let entries = try await store.read { rows in try rows.auditEntries(of: Sample.server, limit: 9) }
        #expect(entries == [AuditEntry(.pinChanged, server: Sample.server, by: .unknown, at: Sample.now)])
        let page = try await SQLPageStore(database: database).redeem(ticket, for: cookie, until: Sample.now + 60, at: Sample.now)
        #expect(page?.request == asked)
    }
}
