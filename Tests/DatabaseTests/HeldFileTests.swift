import Foundation
import GRDBSQLite
import OstiaryTesting
import Testing

@testable import Database

@Suite("A file that another process holds")
struct HeldFileTests {
    @Test(
        "A prompt that holds the file is told as that: to a command beside a server with no server to stop, to whoever wants the file alone with both",
        arguments: ["BEGIN IMMEDIATE", "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE"])
    func heldByPrompt(_ statements: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.databasePath
        let database = try SQLiteDatabase.open(path: path)
        try await database.migrate(sampleSchema)
        try await database.close()
        var prompt: OpaquePointer?
        #expect(sqlite3_open(path, &prompt) == SQLITE_OK)
        #expect(sqlite3_exec(prompt, statements, nil, nil, nil) == SQLITE_OK)
        let beside = #expect(throws: DatabaseOpenError.heldByAnotherProcess(path: path, besideServer: true)) {
            try SQLiteDatabase.open(path: path, ownership: .shared)
        }
        let alone = #expect(throws: DatabaseOpenError.heldByAnotherProcess(path: path, besideServer: false)) { try SQLiteDatabase.open(path: path) }
        let words = [beside, alone].map { $0?.description ?? "" }
        #expect(words.allSatisfy { $0.contains("end what holds it") && $0.contains("a sqlite3 or a copy perhaps") }, "\(words)")
        #expect(words[0].hasSuffix("no server has to be stopped), then run this again") && words[1].contains("(a server or a command"), "\(words)")
        #expect(sqlite3_close_v2(prompt) == SQLITE_OK)
        try await SQLiteDatabase.open(path: path).close()
    }
}
