import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A disk that fails")
struct FailingDiskTests {
    /// What SQLite says of a write that the system refuses for any reason but a full disk: a quota, a file system that became read-only, a fault.
    @Test("A commit that the system refuses to write is an outage that names the file; nothing of it is kept, and the next one works")
    func refusedCommit() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        try await database.countHit()
        let log = try RefusingFile(folder.databasePath + "-wal")
        try log.refuse()
        for _ in 0..<2 {
            let found = await #expect(throws: SQLError.self) { try await database.countHit() }
            let error = try #require(found)
            guard case .diskFails(let path, let reason) = error else { throw error }
            #expect(URL(fileURLWithPath: path).lastPathComponent == "test.sqlite")
            #expect(reason == "disk I/O error, 778")
            #expect(SQLError.isOutage(error))
            #expect(try await database.hits() == 1)
        }
        try log.allow()
        try await database.countHit()
        #expect(try await database.hits() == 2)
        try await database.close()
        #expect(!CleanStop.isNoted(at: folder.databasePath), "it is read through at the next start")
    }
}
