import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A full disk")
struct FullDiskTests {
    @Test("A transaction that finds no room says so with the path, takes nothing, and the next one works when there is room")
    func transaction() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.transaction { try $0.execute("CREATE TABLE item (name TEXT NOT NULL)") }
        try await database.transaction { connection in
            let pages = try connection.one("PRAGMA page_count")?.int("page_count") ?? 0
            try connection.execute("PRAGMA max_page_count = \(pages)")
        }
        let large = SQLValue.text(String(repeating: "a", count: 50_000))
        let error = await #expect(throws: SQLError.self) {
            try await database.transaction { try $0.execute("INSERT INTO item (name) VALUES ($1)", [large]) }
        }
        guard case .diskFull(let found) = error else { throw try #require(error) }
        #expect(URL(fileURLWithPath: found).lastPathComponent == "test.sqlite")
        #expect(error?.description.contains("free some space") == true)
        try await database.transaction { try $0.execute("PRAGMA max_page_count = 1000000") }
        try await database.transaction { try $0.execute("INSERT INTO item (name) VALUES ($1)", [large]) }
        #expect(try await database.read { try $0.one("SELECT COUNT(*) AS count FROM item")?.int("count") } == 1)
        try await database.close()
    }

    @Test("The probe finds a disk without room by writing, commits nothing and leaves nothing behind")
    func probe() async throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        #expect(throws: SQLError.diskFull(path: "/x.sqlite")) { try DiskProbe.fill(full, for: "/x.sqlite") }
        close(full)
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.transaction { try $0.execute("CREATE TABLE item (name TEXT NOT NULL)") }
        let before = try files(in: folder)
        for _ in 0..<3 { try await database.checkWritable([]) }
        #expect(try files(in: folder) == before)
        #expect(before.keys.contains("test.sqlite-wal"))
        try await database.close()
    }

    @Test("A key that finds no room is told as a full disk or quota with what to do, and anything else as what the system says")
    func key() {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let error = #expect(throws: KeyFileError.self) { try KeyFile.write([1, 2, 3], to: full, of: "/x.kek") }
        #expect(error?.description == "cannot make the key file /x.kek: the disk is full: free some space there, then try again")
        #expect(makingReason(EDQUOT).hasPrefix("the quota is full: free some space") && makingReason(EACCES) == "permission denied")
        let folder = folderReason(CocoaError(.fileWriteOutOfSpace))
        #expect(folder.contains("is full: free some space") && folderReason(CocoaError(.fileWriteNoPermission)) == "its folder cannot be made")
    }

    @Test("A folder that is gone, and a link that somebody laid for the probe, are told as what they are; nobody's file is written")
    func notWritable() async throws {
        let folder = try TemporaryFolder()
        let target = folder.path + "/target"
        try FileManager.default.createSymbolicLink(atPath: folder.databasePath + ".probe", withDestinationPath: target)
        #expect(throws: SQLError.self) { try DiskProbe.write(beside: folder.databasePath) }
        #expect(!FileManager.default.fileExists(atPath: target))
        let gone = #expect(throws: SQLError.self) { try DiskProbe.write(beside: folder.path + "/nowhere/db.sqlite") }
        guard case .cannotWrite(_, let reason) = gone else { throw try #require(gone) }
        #expect(reason == "no such file or directory")
    }

    private func files(in folder: TemporaryFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix("-shm") }
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + $0))) })
    }
}
