import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A log of which a wait failed")
struct FailedWaitTests {
    /// The system tells once that it has given pages up. Told later that all is well, a commit would stand behind a hole.
    /// Nor does a later wait write them, so the log is written anew before it is copied.
    @Test("After a wait that failed nothing is committed before all that nobody had waited for is in the file, and the log begins anew")
    func failedWait() async throws {
        try await WatchedLog.watching { database, log in
            try await database.hit(.hard)
            try await database.hit(.soft)
            let before = try log.look().bytes
            log.fail(true)
            let found = await #expect(throws: SQLError.self) { try await database.hit(.hard) }
            #expect(found.map { SQLError.isOutage($0) } == true)
            // Neither is it forgotten when the first way out fails.
            await #expect(throws: SQLError.self) { try await database.hit(.soft) }
            #expect(try await database.hits() == 2)
            log.fail(false)
            try await database.hit(.soft)
            let after = try log.look().bytes
            #expect(after.prefix(32) != before.prefix(32), "the salts of its head are new")
            #expect(after.count < before.count)
            #expect(log.takeHoles() == 0, "and before that it was whole on the disk")
            #expect(try await database.hits() == 3)
        }
    }

    @Test("A wait that fails for one who looked only is told to that one, and the next commit copies the log")
    func failedLook() async throws {
        try await WatchedLog.watching { database, log in
            try await database.hit(.hard)
            try await database.hit(.soft)
            let before = try log.look().bytes
            log.fail(true)
            await #expect(throws: SQLError.self) { try await database.transaction { try $0.query("SELECT value FROM counter") } }
            log.fail(false)
            try await database.hit(.hard)
            #expect(try log.look().bytes.prefix(32) != before.prefix(32))
            #expect(log.takeHoles() == 0)
            #expect(try await database.hits() == 3)
        }
    }

    @Test("A commit that was told to have failed does not come back, with nothing soft before it either: the log that has it is begun anew first")
    func failedAlone() async throws {
        try await WatchedLog.watching { database, log in
            try await database.hit(.hard)
            let before = try log.look().bytes
            log.failOnce()
            await #expect(throws: SQLError.self) { try await database.hit(.hard) }
            #expect(try log.look().bytes.count > before.count)
            try await database.hit(.soft)
            #expect(try log.look().bytes.prefix(32) != before.prefix(32))
            #expect(log.takeHoles() == 0)
            #expect(try await database.hits() == 2)
        }
    }

    @Test("A98 a stop after a wait that failed copies no log of which the disk lacks a part; where it goes on failing it is left to the next start")
    func stopped() async throws {
        for goesOn in [false, true] {
            let folder = try TemporaryFolder()
            let path = folder.databasePath
            let database = try SQLiteDatabase.open(path: path)
            try await database.migrate(sampleSchema)
            let log = try #require(await WatchedLog.watch(database, at: path))
            try await database.hit(.soft)
            log.failOnce()
            await #expect(throws: SQLError.self) { try await database.hit(.hard) }
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            log.fail(goesOn)
            try await database.close()
            #expect(log.takeHoles() == 0)
            #expect(FileManager.default.fileExists(atPath: path + "-wal") == goesOn)
            #expect(try (Data(contentsOf: URL(fileURLWithPath: path)) == file) == goesOn)
            log.fail(false)
            let next = try SQLiteDatabase.open(path: path)
            #expect(try await next.hits() == 1, "what was told to have failed does not come back")
            try await next.close()
        }
    }

    /// As a system reads a file anew of which it had to give pages up.
    @Test("A98 where the system no longer has the log that was written nothing is copied, and the file is told as damaged until the next start")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(sampleSchema)
        let log = try #require(await WatchedLog.watch(database, at: path))
        try await database.hit(.hard)
        try await database.hit(.soft)
        let end = try log.look().bytes.count
        log.failOnce()
        await #expect(throws: SQLError.self) { try await database.hit(.hard) }
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let other = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "-wal"))
        try other.seek(toOffset: UInt64(end - 4096 - 24))
        try other.write(contentsOf: Data(count: 4096 + 24))
        try other.close()
        for durability in Durability.allCases {
            let error = await #expect(throws: SQLError.self) { try await database.hit(durability) }
            guard case .damaged(path, _) = error else { throw try #require(error) }
        }
        #expect(throws: SQLError.self) { try database.checkInPlace() }
        try await database.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == file)
        let next = try SQLiteDatabase.open(path: path)
        #expect(try await next.read { try $0.one("PRAGMA integrity_check")?.text("integrity_check") } == "ok")
        #expect(try await next.hits() == 1, "the soft one is gone")
        try await next.close()
    }
}
