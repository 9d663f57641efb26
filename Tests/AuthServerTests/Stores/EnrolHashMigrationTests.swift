import Authentication
import Database
import Foundation
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("A database in which an E2 was kept as it was sent")
struct EnrolHashMigrationTests {
    @Test("A7: once it is opened the share is in no file any more, and the enrolment goes on by the hash of what the phone was shown")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("as.sqlite")
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(AuthenticationSchema.migrations.filter { $0.number < 27 })
        let enrolment = Sample.enrolment(state: .claimed(Sample.claim))
        let (requestHash, shown) = (Sample.bytes(0x51), Sample.bytes(0x52, 200))
        try await database.transaction { connection in
            for (number, id) in [Sample.bytes(6, 16), Sample.bytes(7, 16), Sample.bytes(8, 16)].enumerated() {
                // The last one is open: no phone was shown anything.
                let isClaimed = number < 2
                try connection.execute(
                    """
                    INSERT INTO enrolment (id, server, secret_hash, nonce_hash, stream, display_name, expires_at, wrong_codes, state, device_key,
                        device, app, account, share, request_hash, ephemeral, shown)
                    VALUES ($1, $2, $3, $3, $4, 'Alice', $5, 0, $6, $7, $8, $8, $9, $10, $11, $12, $13)
                    """,
                    [
                        .blob(id), SQLValue(Sample.server), .blob(Sample.bytes(7)), SQLValue(enrolment.stream), SQLValue(Sample.now + 600),
                        .integer(isClaimed ? 1 : 0), isClaimed ? .blob(Sample.bytes(1, 65)) : .null, isClaimed ? .text("Pixel") : .null,
                        isClaimed ? SQLValue(Sample.accountID(1)) : .null, isClaimed ? .blob(Sample.bytes(0x53, 65)) : .null,
                        isClaimed ? .blob(requestHash) : .null, isClaimed ? .blob(Sample.bytes(4)) : .null, isClaimed ? .blob(shown) : .null,
                    ])
            }
        }
        #expect(try Self.holds(shown, in: folder))
        try await database.migrate(AuthenticationSchema.migrations)
        #expect(try !Self.holds(shown, in: folder))
        #expect(try !Self.holds(Array(shown.prefix(32)), in: folder))

        let store = SQLAuthenticationStore(database: database, key: .random())
        let hash = Transcript.enrolment(requestHash: requestHash, shown: shown)
        for byte in [UInt8(6), 7] {
            let id = try #require(EnrolmentID(Sample.bytes(byte, 16)))
            let claim = try await store.read { rows in try rows.enrolment(id)?.claim }
            #expect(claim?.enrolHash == hash && claim?.ephemeral == Sample.bytes(4) && claim?.account == Sample.accountID(1))
        }
        let untaken = try #require(EnrolmentID(Sample.bytes(8, 16)))
        #expect(try await store.read { rows in try rows.enrolment(untaken)?.state } == .open)
        try await database.close()
    }

    /// Whether any file has these bytes, the log too.
    private static func holds(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
            try Data(contentsOf: URL(fileURLWithPath: folder.file(name))).range(of: Data(bytes)) != nil
        }
    }
}
