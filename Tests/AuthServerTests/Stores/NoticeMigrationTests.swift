import Authentication
import Database
import HTTPService
import OstiaryProtocol
import Testing

@testable import AuthServer

@Suite("Notices of a database that is older than their ids")
struct NoticeMigrationTests {
    @Test("What waited to be told is still told, each notice with an id of its own")
    func kept() async throws {
        let database = try SQLiteDatabase.inMemory()
        let before = AuthenticationSchema.migrations.prefix { $0.name != "notices stay until they were shown" }
        try #require(before.count < AuthenticationSchema.migrations.count)
        try await database.migrate(Array(before))
        try await database.transaction { connection in
            for device in ["Pixel", "Nokia"] {
                try connection.execute(
                    "INSERT INTO notice (account, device, time) VALUES ($1, $2, $3)",
                    [SQLValue(Sample.accountID(1)), .text(device), SQLValue(Sample.now)])
            }
        }
        try await database.migrate(AuthenticationSchema.migrations)
        let store = SQLAuthenticationStore(database: database, key: .random())
        let notices = try await store.read { rows in try rows.notices(for: Sample.accountID(1)) }
        #expect(notices.map(\.device) == ["Pixel", "Nokia"])
        #expect(Set(notices.map(\.id)).count == 2 && notices.allSatisfy { $0.subject == .enrolled })
        let shown = notices[0].id
        try await store.write { rows in try rows.removeNotices([shown], for: Sample.accountID(1)) }
        #expect(try await store.read { rows in try rows.notices(for: Sample.accountID(1)) } == [notices[1]])
    }
}
