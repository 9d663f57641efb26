import Database
import Foundation
import OstiaryTesting
import Testing

@Suite("Migrations")
struct MigrationTests {
    private let first = Migration(1, "first") { ["CREATE TABLE a (n \($0.integer)) \($0.tableOptions)", "INSERT INTO a (n) VALUES (1)"] }
    private let second = Migration(2, "second") { _ in ["UPDATE a SET n = n + 10"] }
    private let broken = Migration(2, "second") { _ in ["UPDATE a SET n = n + 10", "UPDATE nowhere SET n = 1"] }

    @Test("Each step is applied once, in the order of the numbers", arguments: Backend.allCases)
    func once(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([second, first])
            try await database.migrate([first, second])
            #expect(try await database.schemaVersion() == 2)
            #expect(try await value(in: database) == 11)
        }
    }

    @Test("A step that fails leaves nothing of itself, and the next run goes on there", arguments: Backend.allCases)
    func resumable(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            await #expect(throws: SQLError.self) { try await database.migrate([first, broken]) }
            #expect(try await database.schemaVersion() == 1)
            #expect(try await value(in: database) == 1)
            try await database.migrate([first, second])
            #expect(try await value(in: database) == 11)
        }
    }

    @Test("What a step takes out of rows is in no file any more; one that fails over them leaves rows and number as they were")
    func rows() async throws {
        let folder = try TemporaryFolder()
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        let secret = [UInt8](repeating: 0xA7, count: 64)
        let isThere = {
            try ["", "-wal"].contains { try Data(contentsOf: URL(fileURLWithPath: folder.databasePath + $0)).range(of: Data(secret)) != nil }
        }
        let table = Migration(1, "table") { ["CREATE TABLE kept (secret \($0.blob), number \($0.integer)) \($0.tableOptions)"] }
        try await database.migrate([table])
        try await database.transaction { try $0.execute("INSERT INTO kept (secret, number) VALUES ($1, 0)", [.blob(secret)]) }
        let failing = Migration(2, "forget", statements: { _ in ["UPDATE kept SET secret = NULL"] }, rows: { _ in throw Refused(number: 1) })
        await #expect(throws: Refused(number: 1)) { try await database.migrate([table, failing]) }
        #expect(try await database.schemaVersion() == 1)
        #expect(try await database.read { try $0.one("SELECT secret FROM kept")?.blob("secret") } == secret)
        #expect(try isThere())
        let step = Migration(2, "forget", statements: { _ in [] }, rows: { try $0.execute("UPDATE kept SET secret = NULL, number = number + 1") })
        for _ in 0..<2 { try await database.migrate([table, step]) }
        #expect(try await database.read { try $0.one("SELECT number FROM kept")?.int("number") } == 1)
        #expect(try !isThere())
        try await database.close()
    }

    @Test("A database that is newer than the program is refused and left alone", arguments: Backend.allCases)
    func newer(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([first, second])
            await #expect(throws: DatabaseOpenError.newerThanProgram(version: 2)) { try await database.migrate([first]) }
            #expect(try await value(in: database) == 11)
        }
    }

    @Test("A database of another program is refused", arguments: Backend.allCases)
    func foreign(on backend: Backend) async throws {
        try await backend.withEmptyDatabase { database in
            try await database.migrate([Migration(1, "theirs") { ["CREATE TABLE a (n \($0.integer)) \($0.tableOptions)"] }])
            await #expect(throws: DatabaseOpenError.foreignMigration(number: 1, expected: "first", found: "theirs")) {
                try await database.migrate([first])
            }
            try await database.migrate([Migration(1, "theirs") { _ in [] }, Migration(2, "theirs, too") { _ in [] }])
            // Not as one that is newer.
            await #expect(throws: DatabaseOpenError.foreignMigration(number: 1, expected: "first", found: "theirs")) {
                try await database.migrate([first, second])
            }
        }
    }

    @Test("Beside a server that has the file open a command of a newer program changes no table; when that server has ended it does")
    func besideServer() async throws {
        let folder = try TemporaryFolder()
        let server = try SQLiteDatabase.open(path: folder.databasePath)
        try await server.migrate([first])
        let command = try SQLiteDatabase.open(path: folder.databasePath, ownership: .shared)
        try await command.migrate([first])
        await #expect(throws: DatabaseOpenError.olderBesideServer(version: 1)) { try await command.migrate([first, second]) }
        #expect(try await server.schemaVersion() == 1)
        #expect(try await value(in: server) == 1)
        try await server.close()
        try await command.migrate([first, second])
        #expect(try await value(in: command) == 11)
        try await command.close()
    }

    private func value(in database: any Database) async throws -> Int? {
        try await database.read { try $0.one("SELECT n FROM a")?.int("n") }
    }
}
