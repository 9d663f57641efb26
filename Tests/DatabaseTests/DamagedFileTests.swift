import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A database file that is damaged while it is open")
struct DamagedFileTests {
    @Test("A file that was cut off is told by name from the first call that meets it to the end of the process, however well other calls go")
    func cutOff() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(sampleSchema)
        try await database.fillNotes()
        try await database.purge()
        // The log knows again how long the file is to be: only the pages of notes are missed.
        try await database.countHit()
        try await database.checkWritable([])
        try #require(truncate(path, 8192) == 0)
        try await database.checkWritable([])

        let found = await #expect(throws: SQLError.self) {
            _ = try await database.read { try $0.one("SELECT SUM(LENGTH(body)) AS sum FROM note") }
        }
        let damage = try #require(found)
        guard case .damaged(let told, _) = damage, told == path else { throw damage }
        #expect(damage.description.hasSuffix("stop the server, restore a backup, start it again"))
        #expect(SQLError.isOutage(damage))
        for _ in 0..<2 {
            #expect(throws: damage) { try database.checkInPlace() }
            await #expect(throws: damage) { try await database.checkWritable([]) }
            #expect(try await database.schemaVersion() == 1)
        }
        try await database.close()
        #expect(!CleanStop.isNoted(at: path))
    }
}
