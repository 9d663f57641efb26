import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Tables whose rows moved")
struct LeanTablesMigrationTests {
    @Test("Every row of before is found afterwards, column by column, and what hangs on an instance still goes with it")
    func kept() async throws {
        let database = try SQLiteDatabase.inMemory()
        let before = Array(AuthenticationSchema.migrations.prefix(18))
        try #require(before.count < AuthenticationSchema.migrations.count)
        try await database.migrate(before)
        let store = SQLAuthenticationStore(database: database, key: .random())
        let pointer = NoncePointer(server: Sample.server, hash: Sample.bytes(3), kind: .web, session: Sample.sessionID(3), run: 5)
        let cache = FactorCache(
            account: Sample.accountID(1), hash: Sample.bytes(1), expiresAt: Sample.now + 9, isSingleUse: true, methods: .bio, verifiedAt: Sample.now)
        try await store.write { rows in
            try rows.save(pointer)
            try rows.save(cache)
            try rows.save(Sample.instance)
            #expect(try rows.spend(Sample.bytes(9), until: Sample.now + 7))
        }
        // Their columns and neighbours of today came later.
        let enrolment = Sample.enrolment(state: .claimed(Sample.claim))
        try await database.transaction { connection in
            try connection.execute(
                "INSERT INTO grave (id, server, since) VALUES ($1, $2, $3)",
                [SQLValue(Sample.accountID(2)), SQLValue(Sample.server), SQLValue(Sample.now)])
            try connection.execute(
                """
                INSERT INTO enrolment (id, server, secret_hash, nonce_hash, stream, display_name, expires_at, wrong_codes, state, device_key, device,
                    app, account, share, request_hash, ephemeral, shown)
                VALUES ($1, $2, $3, $4, $5, '', $6, 0, 1, $7, '', '', $8, $7, $7, $9, $7)
                """,
                [
                    SQLValue(enrolment.id), SQLValue(Sample.server), .blob(Sample.bytes(5)), .blob(Sample.bytes(6)), SQLValue(enrolment.stream),
                    SQLValue(Sample.now + 600), .blob(Sample.bytes(7)), SQLValue(Sample.claim.account), .blob(Sample.claim.ephemeral),
                ])
            try connection.execute(
                """
                INSERT INTO session (id, server, stream, purpose, browser, started_at, state, account, binding, not_me)
                VALUES ($1, $2, $3, 1, $4, $5, 1, $6, 2, 0)
                """,
                [
                    SQLValue(Sample.sessionID(3)), SQLValue(Sample.server), .blob(Sample.bytes(4, 16)),
                    .blob(BrowserColumn(shown: .none, notes: .none).encoded), SQLValue(Sample.now), SQLValue(Sample.accountID(1)),
                ])
            try connection.execute(
                "INSERT INTO audit (kind, server, at) VALUES ('pinChanged', $1, $2)", [SQLValue(Sample.server), SQLValue(Sample.now)])
        }
        try await database.migrate(AuthenticationSchema.migrations)
        try await store.write { rows in
            #expect(try rows.pointer(nonceHash: pointer.hash, of: Sample.server) == pointer)
            #expect(try rows.cache(of: Sample.accountID(1)) == cache)
            #expect(try rows.instance(Sample.instanceID) == Sample.instance)
            #expect(try rows.deletedAccount(Sample.accountID(2))?.since == Sample.now)
            #expect(try !rows.spend(Sample.bytes(9), until: Sample.now + 7))
            #expect(try rows.unfinishedSessions(of: Sample.accountID(1)).map(\.id) == [Sample.sessionID(3)])
            #expect(try rows.session(stream: StreamID(Sample.bytes(4, 16))!, of: Sample.server)?.id == Sample.sessionID(3))
            #expect(try rows.enrolment(ephemeral: Sample.claim.ephemeral)?.id == rows.enrolment(account: Sample.claim.account)?.id)
            #expect(try rows.auditEntries(of: Sample.server, limit: 9).map(\.kind) == [.pinChanged])
            try rows.removeInstance(Sample.instanceID)
        }
        let epochs = try await database.read { try $0.query("SELECT number FROM instance_epoch").count }
        #expect(epochs == 0)
    }
}
