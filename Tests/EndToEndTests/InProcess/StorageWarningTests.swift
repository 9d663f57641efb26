import ArgumentParser
import Database
import Foundation
import HTTPService
import Logging
import OstiaryTesting
import Testing

@testable import ostiary

/// What the log says of a start that is right, and may not be what somebody meant.
@Suite("Storage: what an operator may not have meant")
struct StorageWarningTests {
    private let folder: TemporaryFolder
    private let log = LogRecorder()

    init() throws { folder = try TemporaryFolder() }

    private static let replaced =
        "the database is not that of the last start: after a move or a failover that is right, "
        + "and the former one is not to be started on again; else mend its URL"

    private func start(_ name: String) async throws {
        let settings = StorageSettings(databaseURL: "sqlite:\(folder.file(name))", keyFile: folder.file("keys/it.kek"))
        let opened = try await ServerStorage.open(
            settings, of: .authentication, in: DataFolder(folder.path), try IdentityOptions.parse([]), ownership: .exclusive, logger: log.logger())
        opened.keyIsProven()
        try await opened.database.close()
    }

    @Test("A new server with a key file that was there before is told, and a database that is not the one that the key file ran with last")
    func warnings() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("keys"), withIntermediateDirectories: true)
        for _ in 0..<2 { try await start("one.sqlite") }
        #expect(log.lines.isEmpty)

        try FileManager.default.removeItem(atPath: folder.file("keys/it.kek.database"))
        try await start("two.sqlite")
        let new = log.lines("the database was empty and the key file was there before: a new server was made, to whom nobody is enrolled")
        #expect(new.map(\.facts["database"]) == [folder.file("two.sqlite")])
        try await start("two.sqlite")
        #expect(log.lines.count == 1)

        try await start("one.sqlite")
        let former = log.lines(Self.replaced)
        #expect(former.map(\.facts["before"]) == [folder.file("two.sqlite")])
        try await start("one.sqlite")
        #expect(log.lines.count == 2 && log.lines.allSatisfy { $0.level == .warning })
    }

    @Test("A database that is named in another way is the same one, also where a program of before has left its name as it was given")
    func sameDatabase() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("keys"), withIntermediateDirectories: true)
        // The first is `sqlite:////…`.
        let names = [("///" + folder.file("one.sqlite"), folder.file("one.sqlite")), (folder.file("./one.sqlite"), folder.file("one.sqlite"))]
        for (given, whole) in names {
            let mark = DatabaseMark(of: try DatabaseURL(parsing: "sqlite:\(given)"), keyFile: folder.file("keys/it.kek"))
            #expect(mark.database == whole)
            for left in ["//" + whole, whole, folder.file("././one.sqlite")] {
                _ = try folder.write("\(left)\n", to: "keys/it.kek.database")
                #expect(mark.former == mark.database)
            }
        }
        _ = try folder.write("ostiary at /run/postgresql:5432\n", to: "keys/it.kek.database")
        let mark = DatabaseMark(of: .sqlite(path: folder.file("one.sqlite")), keyFile: folder.file("keys/it.kek"))
        #expect(mark.former == "ostiary at /run/postgresql:5432")
    }

    @Test("A pipe where the mark of a database should be holds nobody up: it names none, and stays", .timeLimit(.minutes(1)))
    func pipe() throws {
        let mark = DatabaseMark(of: .sqlite(path: folder.file("one.sqlite")), keyFile: folder.file("it.kek"))
        try #require(mkfifo(mark.path, 0o600) == 0)
        #expect(mark.isThere && mark.former == nil)
        mark.leave()
        #expect(mark.former == nil)
        // In the place of a file that is there a mark is written anew, and through a link that leads nowhere yet.
        unlink(mark.path)
        try FileManager.default.createSymbolicLink(atPath: mark.path, withDestinationPath: folder.file("elsewhere"))
        #expect(mark.isThere)
        mark.leave()
        #expect(mark.former == folder.file("one.sqlite"))
    }

    @Test("A PostgreSQL is told as another one but where the database and one of its hosts are those of before; either way it is noted")
    func hosts() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("keys"), withIntermediateDirectories: true)
        let database = try SQLiteDatabase.inMemory()
        func address(_ hosts: [String], _ name: String) -> PostgreSQLAddress {
            PostgreSQLAddress(hosts: hosts.map { PostgreSQLAddress.Host($0) }, database: name, user: "ostiary")
        }
        let former = "it at a:5432, [::1]:5432, c:5432"
        let places: [(PostgreSQLAddress, Bool)] = [
            (address(["a", "::1", "c"], "it"), false), (address(["b", "c"], "it"), false), (address(["::1"], "it"), false),
            (address(["c", "d"], "its"), true), (address(["d"], "it"), true), (address(["a"], "i"), true), (address(["a"], "it at a"), true),
            (PostgreSQLAddress(hosts: [.init("a", port: 5433)], database: "it", user: "ostiary"), true),
        ]
        for (place, isTold) in places {
            _ = try folder.write("\(former)\n", to: "keys/it.kek.database")
            let mark = DatabaseMark(of: .postgresql(place), keyFile: folder.file("keys/it.kek"))
            let log = LogRecorder()
            OpenedStorage(database: database, key: .random(), mark: mark, logger: log.logger()).keyIsProven()
            let told: [String?] = isTold ? [former] : []
            #expect(log.lines(Self.replaced).map(\.facts["before"]) == told, "\(place)")
            #expect(log.lines.count == (isTold ? 1 : 0) && mark.former == place.description && mark.replaced == nil, "\(place)")
        }
        try await database.close()
    }

    @Test("An API key in the data folder that was not made here is told as that, and not as a database's key file; it is not printed, nor changed")
    func strangeAPIKey() async throws {
        let content = "made-by-hand-0123456789abcdefghijklmnopqrstuv"
        let path = try folder.write(content, to: RootAPIKey.fileName)
        let options = try StorageOptions.parse(["--data", folder.path])
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: [:])
        let database = try SQLiteDatabase.inMemory()
        let error = RootAPIKeyError.strange(path: path)
        await #expect(throws: error) { _ = try await RootAPIKey.ensured(settings, options, in: database) }
        let words = error.description
        let ways = ["copy the file of another node", "(OSTIARY_ROOT_API_KEY_FILE)", "remove this one: on a SQLite file the next start makes another"]
        #expect(words.hasPrefix("the file \(path) ") && ways.allSatisfy { words.contains($0) }, "\(words)")
        #expect(!words.contains(content) && !words.contains("database"), "\(words)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
        // Another may take its place, where a key file of a database must never be changed.
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let open = RootAPIKeyError.readableByOthers(path: path)
        await #expect(throws: open) { _ = try await RootAPIKey.ensured(settings, options, in: database) }
        #expect(open.description.contains("chmod 600 \(path). If they may have read it, remove it: on a SQLite file the next"))
        try await database.close()
    }
}
