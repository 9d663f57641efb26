import Foundation
import GRDBSQLite
import OstiaryTesting
import Testing

@testable import Database

/// Whoever was killed may have met a wait that failed, of which the system tells once: what it left in the log the disk may lack, and nobody is told any more.
@Suite("A log that a start finds")
struct LeftLogTests {
    private static let head = 32
    /// A page, and 24 bytes that say which one it is.
    private static let frame = 4_096 + 24

    /// A database as a process leaves it that is killed: all that it did is in the log yet.
    private func killed(in folder: TemporaryFolder) async throws -> (path: String, log: Data) {
        let path = folder.file("left.sqlite")
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        for durability in [Durability.hard, .soft, .hard] { try await database.hit(durability) }
        try copy(folder.databasePath, to: path)
        try copy(folder.databasePath + "-wal", to: path + "-wal")
        try await database.close()
        return (path, try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    }

    private func copy(_ file: String, to other: String) throws { try FileManager.default.copyItem(atPath: file, toPath: other) }

    private func bytes(of file: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file)) }

    private func hits(at path: String) async throws -> Int {
        let database = try SQLiteDatabase.open(path: path)
        let hits = try await database.hits()
        try await database.close()
        return hits
    }

    @Test("A98 before anything is committed all of it is in the file, for which somebody has waited, and the log is empty")
    func folded() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        let log = WatchedLog.watch(fileAt: left.path, disk: left.log)
        let database = try SQLiteDatabase.open(path: left.path)
        #expect(log.takeWaits() > 0)
        #expect(try log.look().bytes.isEmpty)
        // What looks first has nothing to wait for.
        _ = try await database.transaction { try $0.query("SELECT value FROM counter") }
        #expect(log.takeWaits() == 0)
        try copy(left.path, to: folder.file("alone.sqlite"))
        #expect(try await hits(at: folder.file("alone.sqlite")) == 3)
        try await database.close()
    }

    @Test("A98 a wait that failed, a kill -9, a commit of the next start and a power cut leave that commit there, with all before it")
    func hole() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        for lost in 0..<(left.log.count - Self.head) / Self.frame {
            let (path, found) = (folder.file("start-\(lost).sqlite"), folder.file("found-\(lost).sqlite"))
            try copy(left.path, to: path)
            try left.log.write(to: URL(fileURLWithPath: path + "-wal"))
            // The system has this frame, and takes it for written.
            var disk = left.log
            let start = Self.head + lost * Self.frame
            disk.replaceSubrange(start..<start + Self.frame, with: Data(count: Self.frame))
            let log = WatchedLog.watch(fileAt: path, disk: disk)
            let database = try SQLiteDatabase.open(path: path)
            #expect(log.takeHoles() == 0, "copied to the file it would be beside one that is newer than its first part")
            try await database.hit(.hard)
            try copy(path, to: found)
            try log.disk.write(to: URL(fileURLWithPath: found + "-wal"))
            try await database.close()
            #expect(try await hits(at: found) == 4)
        }
    }

    @Test("Where the disk does not keep it the start is refused, and says so; nothing of it is lost, and the next start goes well when the disk does")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        let log = WatchedLog.watch(fileAt: left.path, disk: left.log)
        log.fail(true)
        for _ in 0..<2 {
            let refusal = try #require(#expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: left.path) })
            guard case .cannotOpen(left.path, let reason) = refusal else { throw refusal }
            #expect(reason.hasPrefix("the disk does not keep the log that was left beside it (disk I/O error, "))
            #expect(try log.look().bytes == Array(left.log))
        }
        log.fail(false)
        #expect(try await hits(at: left.path) == 3)
        #expect(log.takeHoles() == 0)
    }

    @Test("A98 a start that is refused for one wait that failed copies nothing of the log when it closes the file, though the next would go well")
    func refusedOnce() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        let file = try bytes(of: left.path)
        let log = WatchedLog.watch(fileAt: left.path, disk: Data())
        log.failOnce()
        #expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: left.path) }
        #expect(log.takeHoles() == 0)
        #expect(try bytes(of: left.path) == file)
        #expect(try log.look().bytes == Array(left.log))
        #expect(try await hits(at: left.path) == 3)
        #expect(log.takeHoles() == 0)
    }

    @Test("A file that is refused for what it holds stays as it is, and so does the log beside it")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("left.sqlite")
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.migrate(sampleSchema)
        try await database.fillNotes()
        try await database.purge()
        try await database.hit(.hard)
        var file = try bytes(of: folder.databasePath)
        file.replaceSubrange(10 * 4096..<11 * 4096, with: Data(repeating: 0xFF, count: 4096))
        try file.write(to: URL(fileURLWithPath: path))
        try copy(folder.databasePath + "-wal", to: path + "-wal")
        try await database.close()
        let log = try bytes(of: path + "-wal")
        let refusal = try #require(#expect(throws: DatabaseOpenError.self) { try SQLiteDatabase.open(path: path) })
        guard case .corrupt(path, _) = refusal else { throw refusal }
        #expect(try bytes(of: path) == file)
        #expect(try bytes(of: path + "-wal") == log)
    }

    @Test("A full disk keeps no start away: all that is there can be read, nothing is committed behind it, and all is well when there is room")
    func full() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        let log = WatchedLog.watch(fileAt: left.path, disk: Data())
        log.fill(true)
        let database = try SQLiteDatabase.open(path: left.path)
        #expect(try await database.hits() == 3)
        for durability in Durability.allCases {
            let error = await #expect(throws: SQLError.self) { try await database.hit(durability) }
            guard case .diskFull = error else { throw try #require(error) }
        }
        #expect(try log.look().bytes == Array(left.log))
        log.fill(false)
        try await database.hit(.hard)
        #expect(log.takeHoles() == 0)
        #expect(try await database.hits() == 4)
        try await database.close()
    }

    @Test("Somebody who reads keeps no start away, and nobody from writing: the log is whole on the disk, and is copied when nobody reads")
    func reader() async throws {
        let folder = try TemporaryFolder()
        let left = try await killed(in: folder)
        let log = WatchedLog.watch(fileAt: left.path, disk: left.log)
        var reader: OpaquePointer?
        #expect(sqlite3_open(left.path, &reader) == SQLITE_OK)
        #expect(sqlite3_exec(reader, "BEGIN; SELECT value FROM counter", nil, nil, nil) == SQLITE_OK)
        let database = try SQLiteDatabase.open(path: left.path)
        #expect(try await database.hits() == 3)
        // It is whole on the disk, so what comes goes behind it.
        try await database.hit(.hard)
        let bytes = try log.look().bytes
        #expect(bytes.count > left.log.count && bytes.starts(with: left.log))
        #expect(log.takeHoles() == 0)
        #expect(sqlite3_close_v2(reader) == SQLITE_OK)
        try await database.purge()
        #expect(try log.look().bytes.isEmpty)
        #expect(try await database.hits() == 4)
        try await database.close()
    }

    @Test("A command beside a server leaves the log to that one, and relies on nothing of it: when it looks first it waits for it")
    func beside() async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let server = try SQLiteDatabase.open(path: path)
        try await server.migrate(sampleSchema)
        try await server.hit(.soft)
        let before = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        let command = try SQLiteDatabase.open(path: path, ownership: .shared)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == before)
        let log = try #require(await WatchedLog.watch(command, at: path))
        #expect(try await command.transaction { try $0.one("SELECT value FROM counter")?.int("value") } == 1)
        #expect(log.takeWaits() == 1)
        try await command.close()
        #expect(try bytes(of: path + "-wal") == before, "and when it goes it leaves it, too")
        try await server.close()
    }
}
