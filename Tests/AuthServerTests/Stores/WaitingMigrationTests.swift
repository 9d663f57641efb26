import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("A database in which nothing that waits says where it was begun")
struct WaitingMigrationTests {
    @Test("Requests, device codes and login pages of before go on, and count for nobody; what is kept from then on counts")
    func kept() async throws {
        let database = try SQLiteDatabase.inMemory()
        try await database.migrate(AuthenticationSchema.migrations.filter { $0.number <= 36 })
        let (hash, cookie) = (Sample.bytes(5), PageSecret(using: SystemRandomSource()))
        try await database.transaction { connection in
            try connection.execute(
                "INSERT INTO oauth_pushed (server, hash, client, parameters, expires_at, spent) VALUES ($1, $2, $3, '{\"parameters\":[]}', $4, 0)",
                [SQLValue(Sample.server), .blob(hash), .text(Sample.client.text), SQLValue(Sample.now + 90)])
            try connection.execute(
                """
                INSERT INTO oauth_polled (server, hash, client, way, user_code_hash, scopes, strengths, created_at, expires_at, pause, state)
                VALUES ($1, $2, $3, 1, $4, 'openid', '', $5, $6, 5, 0)
                """,
                [
                    SQLValue(Sample.server), .blob(hash), .text(Sample.client.text), .blob(Sample.bytes(6)), SQLValue(Sample.now),
                    SQLValue(Sample.now + 600),
                ])
            try connection.execute(
                "INSERT INTO page (cookie_hash, kind, server_id, nonce_hash, name, expires_at) VALUES ($1, 'login', $2, $3, '', $4)",
                [.blob(cookie.hash), SQLValue(Sample.server), .blob(Sample.bytes(7)), SQLValue(Sample.now + 1_800)])
        }
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLOAuthStore(database: database, key: .random())
        try await store.read { rows throws in
            #expect(try rows.pushedRequest(hash: hash, of: Sample.server)?.place == nil)
            #expect(try rows.pushedRequest(hash: hash, of: Sample.server)?.isSpent == false)
            let device = try rows.polled(userCodeHash: Sample.bytes(6), of: Sample.server)
            #expect(device?.hash == hash && device?.place == nil)
            for waiting in WaitingKind.allCases {
                #expect(try rows.count(waiting, .server, at: Sample.server, since: Sample.now, upTo: 9).count == 0)
            }
        }
        let pages = SQLPageStore(database: database)
        let page = try #require(try await pages.page(of: cookie, at: Sample.now)).page
        #expect(page.nonceHash == Sample.bytes(7) && page.visit == nil)
        let other = PushedRequest(
            hash: Sample.bytes(8), server: Sample.server, client: Sample.client, parameters: [], expiresAt: Sample.now + 90, place: "here")
        try await store.write { rows in try rows.save(other) }
        let count = try await store.read { rows in try rows.count(.visits, .server, at: Sample.server, since: Sample.now, upTo: 9) }
        #expect(count == WaitingCount(1, firstEnd: Sample.now + 90))
    }
}
