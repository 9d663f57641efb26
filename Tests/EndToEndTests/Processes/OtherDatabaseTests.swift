import Database
import Foundation
import HTTPService
import OstiaryTesting
import Testing

@testable import ostiary

/// What a first start on an empty PostgreSQL finds in its data folder. No database is asked.
@Suite("An empty PostgreSQL beside a file that no mark names")
struct OtherDatabaseTests {
    private let folder: TemporaryFolder
    private let keyFile: String

    init() throws {
        folder = try TemporaryFolder()
        keyFile = folder.file("ostiary.kek")
        _ = try KeyEncryptionKey.load(orMakeAt: keyFile)
    }

    private func check() throws {
        let url = try DatabaseURL(parsing: "postgresql:///empty?host=\(folder.path)")
        try OtherDatabase.check(url, keyFile: keyFile, of: .authentication, in: DataFolder(folder.path))
    }

    private func expectRefused() {
        let error = #expect(throws: OtherDatabase.self) { try check() }
        #expect(error?.former == folder.file("ostiary.sqlite") && error?.mark == nil)
        #expect(error?.description.contains(", or remove it, if it is none;") == true)
    }

    @Test("One that a server has filled is told, also where it cannot be opened because its log cannot, or is damaged; a file without tables is none")
    func file() async throws {
        let file = folder.file("ostiary.sqlite")
        try check()
        let database = try openDatabase(.sqlite(path: file))
        try await database.close()
        try check()
        let filled = try openDatabase(.sqlite(path: file))
        try await filled.beginSchema()
        try await filled.close()
        expectRefused()
        // Without its key it is the same database.
        try FileManager.default.removeItem(atPath: keyFile)
        expectRefused()
        _ = try KeyEncryptionKey.load(orMakeAt: keyFile)

        // As in a folder that takes no file; root may write to every one.
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
        try FileManager.default.createDirectory(atPath: file + "-wal", withIntermediateDirectories: true)
        #expect(throws: DatabaseOpenError.self) { try checkContent(.ours, of: .sqlite(path: file)) }
        expectRefused()
        try FileManager.default.removeItem(atPath: file + "-wal")
        expectRefused()

        try Data("no database at all, but longer than the header of one: it was written over, and so on and so on, for a hundred bytes".utf8)
            .write(to: URL(fileURLWithPath: file))
        expectRefused()
        try FileManager.default.removeItem(atPath: file)
        try check()
    }
}
