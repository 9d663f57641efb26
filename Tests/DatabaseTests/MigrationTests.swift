import Database
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
            try await database.migrate([Migration(1, "theirs") { _ in ["CREATE TABLE a (n INTEGER) STRICT"] }])
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
