import Foundation
import OstiaryTesting
import Testing

@testable import Database

@Suite("A database file that another takes the place of")
struct ReplacedFileTests {
    private func database(in folder: TemporaryFolder) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.transaction { try $0.execute("CREATE TABLE item (name TEXT NOT NULL)") }
        for _ in 0..<2 { try await database.checkWritable([]) }
        return database
    }

    @Test("A copy that is put in its place, and a file that is removed, are told by name, however well the server goes on", arguments: [true, false])
    func replaced(byCopy: Bool) async throws {
        let folder = try TemporaryFolder()
        let database = try await database(in: folder)
        let path = folder.databasePath
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        if byCopy { try FileManager.default.copyItem(atPath: path + ".old", toPath: path) }
        let error = await #expect(throws: SQLError.self) { try await database.checkWritable([]) }
        guard case .replaced(let told) = error else { throw try #require(error) }
        #expect(throws: SQLError.replaced(path: told)) { try database.checkInPlace() }
        #expect(told.hasSuffix("test.sqlite") && error?.description.contains("stop the server") == true)
        try await database.close()
    }

    @Test("So is a log that is removed, or another that is put in its place", arguments: [true, false])
    func replacedLog(byOther: Bool) async throws {
        let folder = try TemporaryFolder()
        let database = try await database(in: folder)
        let log = folder.databasePath + "-wal"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".old")
        if byOther { try Data().write(to: URL(fileURLWithPath: log)) }
        let error = await #expect(throws: SQLError.self) { try await database.checkWritable([]) }
        guard case .replaced(let told) = error else { throw try #require(error) }
        #expect(told.hasSuffix("-wal"))
        try await database.close()
    }

    @Test("What empties the log, and another process that opens and closes the database, leave both files in their place")
    func inPlace() async throws {
        let folder = try TemporaryFolder()
        let database = try await database(in: folder)
        try await database.purge()
        let other = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared)
        try await other.transaction { try $0.execute("INSERT INTO item (name) VALUES ('a')") }
        try await other.close()
        try await database.checkWritable([])
        try await database.close()
    }
}
