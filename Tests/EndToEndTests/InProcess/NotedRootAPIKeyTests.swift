import ArgumentParser
import AuthServer
import Database
import Foundation
import HTTPService
import Logging
import OstiaryProgram
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import ostiary

/// Which starts make an API key, and what a start knows of the key of the one before it.
@Suite("API keys: what a start makes, takes and refuses", .timeLimit(.minutes(5)))
struct NotedRootAPIKeyTests {
    private let folder: TemporaryFolder
    private let options: StorageOptions
    private let key = KeyEncryptionKey.random()

    init() throws {
        folder = try TemporaryFolder()
        options = try StorageOptions.parse(["--data", folder.file("data")])
    }

    private var file: String { folder.file("data/\(RootAPIKey.fileName)") }

    private func content() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    private func remove() throws { try FileManager.default.removeItem(atPath: file) }

    /// - Parameter other: of another node.
    private func ensured(
        _ environment: [String: String] = [:], in database: any Database, _ other: StorageOptions? = nil
    ) async throws -> RootAPIKey.Found {
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: environment)
        return try await RootAPIKey.ensured(settings, other ?? options, in: database, environment: environment)
    }

    /// Where a key lies that was drawn, until the database has said that it is the one.
    private var draft: String { file + ".drawn" }

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func storage(in database: any Database) -> OpenedStorage { OpenedStorage(database: database, key: key, mark: nil, logger: nil) }

    /// What a start does with a key once the database holds its tables.
    private static func settle(_ found: RootAPIKey.Found, in storage: OpenedStorage) async throws {
        let own = try #require(try found.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
        try await found.settle(own, in: storage)
    }

    /// Whether it may keep its key.
    private static func keeps(_ found: RootAPIKey.Found, in storage: OpenedStorage) async throws -> Bool {
        do { try await settle(found, in: storage) } catch RootAPIKeyError.drawnElsewhere { return false }
        return true
    }

    /// Runs `body` on an empty database of an engine.
    private func withDatabase(on engine: DatabaseEngine, _ body: (any Database) async throws -> Void) async throws {
        guard engine == .postgresql else {
            let database = try SQLiteDatabase.inMemory()
            try await body(database)
            return try await database.close()
        }
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        let database = try await cluster.open(name)
        try await body(database)
        await database.close()
        cluster.leave(name)
    }

    /// What `--print-identity` makes, and a first start that was killed before its listeners were open: the tables and a virtual server.
    private func makeServer(in database: any Database) async throws {
        _ = try await AuthNode.identityHash(database: database, keyEncryptionKey: key, logger: LogRecorder().logger(), clock: { .now })
    }

    @Test(
        "A first start makes a key, also behind one that was cut off or printed its identity only, and takes it from then on",
        arguments: DatabaseEngine.allCases, [false, true])
    func made(on engine: DatabaseEngine, hasTables: Bool) async throws {
        try await withDatabase(on: engine) { database in
            if hasTables { try await makeServer(in: database) }
            let (first, log) = (try await ensured(in: database), LogRecorder())
            #expect(first.isMade && first.path == file)
            first.tell(log.logger())
            let line = try #require(log.lines.first)
            #expect(line.message.hasPrefix("no API key is set: made one in a file") && line.facts["path"] == file)
            // Where nodes are several the others need it, or have one.
            let isTold = line.message.contains(". Every further start, of this and other nodes, needs this file; ")
            #expect(isTold == database.isShared)
            #expect(line.message.hasSuffix("; if other nodes have a key, give this one theirs and remove this") == database.isShared)
            let level: Logger.Level = database.isShared ? .warning : .notice
            #expect(line.level == level)
            let drawn = database.isShared ? draft : file
            #expect(Self.isThere(file) == !database.isShared)
            let made = try String(contentsOfFile: drawn, encoding: .utf8)
            let settings = try #require(try first.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(settings.matches(made.trimmingCharacters(in: .whitespacesAndNewlines)))
            if !hasTables { try await makeServer(in: database) }
            // It was cut off before it noted the key, and lost its folder.
            try FileManager.default.removeItem(atPath: drawn)
            let second = try await ensured(in: database)
            #expect(second.isMade)
            try await Self.settle(second, in: storage(in: database))
            #expect(try content() != made && !Self.isThere(draft))
            let again = try await ensured(in: database)
            #expect(!again.isMade && again.path == file)
            again.tell(log.logger())
            let taken = log.lines("no API key is set: using the one in a file")
            #expect(taken.count == 1 && taken[0].level == .notice)
        }
    }

    @Test(
        "Where a server has run on a database that nodes share no key is made beside it: what is set or copied is taken, and else the start says what to do",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func refused() async throws {
        try await withDatabase(on: .postgresql) { database in
            try await makeServer(in: database)
            let first = try await ensured(in: database)
            let own = try #require(try first.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            try await Self.settle(first, in: storage(in: database))
            #expect(try await NotedRootAPIKey(in: database).note(own, under: key) == false)
            let made = try content()

            try remove()
            let error = RootAPIKeyError.missing(path: file, database: database.place)
            await #expect(throws: error) { _ = try await ensured(in: database) }
            #expect(!FileManager.default.fileExists(atPath: file))
            #expect(error.description.hasPrefix("no API key is set (OSTIARY_ROOT_API_KEY or OSTIARY_ROOT_API_KEY_FILE), and there is no \(file). "))
            for words in [
                "Of several nodes all have the same: copy the file of another node (mode 600), or set the key. ",
                "(umask 077; openssl rand -hex 32 >\(file))", "copy that to all nodes, start each anew, and give it to the backends",
            ] {
                #expect(error.description.contains(words), "\(error)")
            }
            #expect(!error.description.contains("\n"))

            let set = try await ensured(["OSTIARY_ROOT_API_KEY": String(repeating: "a7", count: 32)], in: database)
            #expect(set.path == nil && !set.isMade && !FileManager.default.fileExists(atPath: file))
            // As it is after a move to this database, and at a node to which it was copied.
            _ = try folder.write(made, to: "data/\(RootAPIKey.fileName)", mode: 0o600)
            #expect(try await ensured(in: database).isMade == false)
        }
    }

    @Test(
        "Of first nodes that draw a key in the same moment one has it; the other is refused, keeps none, and starts with the copy of that one's",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func sameMoment() async throws {
        let other = folder.file("other/\(RootAPIKey.fileName)")
        let others = try StorageOptions.parse(["--data", folder.file("other")])
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let (database, second) = (try await cluster.open(name), try await cluster.open(name))
        // Neither is noted when they look.
        let (one, two) = (try await ensured(in: database), try await ensured(in: second, others))
        #expect(one.isMade && two.isMade)
        try await makeServer(in: database)
        let (storage, secondStorage) = (storage(in: database), storage(in: second))
        // Whoever reads, and writes by what it read, has read by the time that both wait.
        let kept = try await TableHolder.with("applied_setting", at: cluster.address(of: name), mode: "EXCLUSIVE") { holder in
            async let first = Self.keeps(one, in: storage)
            async let last = Self.keeps(two, in: secondStorage)
            try await Self.waitForTwo(at: cluster, in: name)
            try await holder.letGo()
            return [try await first, try await last]
        }
        #expect(kept.count(where: { $0 }) == 1)
        #expect([Self.isThere(file), Self.isThere(other)] == kept)
        #expect(!Self.isThere(draft) && !Self.isThere(other + ".drawn"))

        let (winner, loser) = kept[0] ? (file, other) : (other, file)
        let missing = RootAPIKeyError.missing(path: loser, database: database.place)
        await #expect(throws: missing) { _ = try await ensured(in: database, kept[0] ? others : options) }
        try FileManager.default.copyItem(atPath: winner, toPath: loser)
        for node in [options, others] {
            let found = try await ensured(in: database, node)
            #expect(!found.isMade)
            #expect(try await Self.keeps(found, in: storage))
            let own = try #require(try found.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(try await NotedRootAPIKey(in: database).note(own, under: key) == false)
        }
        for opened in [database, second] { await opened.close() }
        let error = RootAPIKeyError.drawnElsewhere(path: file, database: "x").description
        #expect(error.contains("Copy the file \(RootAPIKey.fileName) of that node to \(file) (mode 600)") && !error.contains("\n"), "\(error)")
    }

    /// Returns when two wait for a lock in a database.
    private static func waitForTwo(at cluster: PostgreSQLCluster, in name: String) async throws {
        let looking = try await cluster.open("postgres")
        let question = "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = '\(name)' AND wait_event_type = 'Lock'"
        while try await looking.read({ try $0.one(question)?.int("n") ?? 0 }) < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        await looking.close()
    }

    @Test(
        "Of two starts in one folder both end with the same key, whichever of them is slower",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func sameFolder() async throws {
        try await withDatabase(on: .postgresql) { database in
            let storage = storage(in: database)
            let (one, two) = (try await ensured(in: database), try await ensured(in: database))
            try await makeServer(in: database)
            try await Self.settle(one, in: storage)
            let made = try content().trimmingCharacters(in: .whitespacesAndNewlines)
            // Its draft is gone, and its settings are read only now.
            let own = try #require(try two.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(own.matches(made))
            try await Self.settle(two, in: storage)
            #expect(try content().trimmingCharacters(in: .whitespacesAndNewlines) == made)

            // One that looks while the other gives the key its name: the database is asked in between.
            let (named, aside) = (self.file, self.file + ".aside")
            try FileManager.default.moveItem(atPath: named, toPath: aside)
            let slow = AskedDatabase(base: database) { try? FileManager.default.moveItem(atPath: aside, toPath: named) }
            let third = try await ensured(in: slow)
            #expect(!third.isMade && third.draft == nil)
            let taken = try #require(try third.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(taken.matches(made))
        }
    }

    @Test(
        "A key that somebody puts there while a start draws one is not lost, nor is the drawn one: that start ends, and the next one has what is there",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func putMeanwhile() async throws {
        try await withDatabase(on: .postgresql) { database in
            let (found, storage) = (try await ensured(in: database), storage(in: database))
            let drawn = try String(contentsOfFile: draft, encoding: .utf8)
            try await makeServer(in: database)
            let theirs = String(repeating: "b8", count: 32)
            _ = try folder.write(theirs, to: "data/\(RootAPIKey.fileName)", mode: 0o600)
            let error = RootAPIKeyError.taken(path: file, draft: draft)
            await #expect(throws: error) { try await Self.settle(found, in: storage) }
            #expect(try content() == theirs)
            #expect(try String(contentsOfFile: draft, encoding: .utf8) == drawn)
            #expect(error.description.contains("run mv \(draft) \(file) before") && !error.description.contains("\n"), "\(error)")
            #expect(try await !ensured(in: database).isMade)
            #expect(try content() == theirs && !Self.isThere(draft))
        }
    }

    @Test(
        "A draft that cannot be used is told as that before a database is made, and nobody is told to copy or to make a file of its name",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func spoiltDraft() async throws {
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: [:])
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let whole = String(repeating: "a7", count: 32)
        for (content, mode, error) in [
            ("half", 0o600, RootAPIKeyError.strangeDraft(path: draft)), (whole, 0o640, .openDraft(path: draft)),
        ] as [(String, Int, RootAPIKeyError)] {
            _ = try folder.write(content, to: "data/\(RootAPIKey.fileName).drawn", mode: mode)
            await #expect(throws: error) { _ = try await RootAPIKey.presumed(settings, options) }
            try await withDatabase(on: .postgresql) { database in
                await #expect(throws: error) { _ = try await ensured(in: database) }
                let left = try String(contentsOfFile: draft, encoding: .utf8)
                #expect(left == content)
            }
            let words = error.description
            #expect(words.contains(draft) && !words.contains("openssl") && !words.contains("another node") && !words.contains("\n"), "\(words)")
        }
        #expect(RootAPIKeyError.openDraft(path: draft).description.contains("run chmod 600 \(draft), and start again"))
        #expect(RootAPIKeyError.strangeDraft(path: draft).description.contains("remove it (rm \(draft)), and start again"))
    }

    @Test(
        "A key with a blank around it, which no request carries, is told with its file, and as no setting: the key, or its draft",
        arguments: [RootAPIKey.fileName, "\(RootAPIKey.fileName).drawn"], [" %\n", "%\t\n", "\t% "])
    func padded(name: String, form: String) async throws {
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: [:])
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let digits = String(repeating: "a7", count: 32)
        let path = try folder.write(form.replacingOccurrences(of: "%", with: digits), to: "data/\(name)", mode: 0o600)
        let error = await #expect(throws: RootAPIKeyError.self) { _ = try await RootAPIKey.presumed(settings, options) }
        let words = error?.description ?? ""
        #expect(words.hasPrefix("the API key in \(path) begins or ends with a blank or a tab"), "\(words)")
        #expect(!words.contains("OSTIARY_") && !words.contains(digits) && !words.contains("\n"), "\(words)")
    }

    @Test("A draft that is a copy of the key file becomes no API key, and is told by its name", .enabled(if: PostgreSQLCluster.isInstalled))
    func keyFileAsDraft() async throws {
        try FileManager.default.createDirectory(atPath: folder.file("data"), withIntermediateDirectories: true)
        let (keyFile, text) = (folder.file("data/ostiary.kek"), String(repeating: "a7", count: 32))
        for name in ["ostiary.kek", "\(RootAPIKey.fileName).drawn"] { _ = try folder.write(text, to: "data/\(name)", mode: 0o600) }
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: [:])
        try await withDatabase(on: .postgresql) { database in
            let found = try await ensured(in: database)
            let own = try #require(try found.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(throws: RootAPIKeyError.keyOfDatabase(place: draft, keyFile: keyFile)) {
                try RootAPIKey.checkApart(own, from: [keyFile], settings, options, draft: found.draft)
            }
        }
    }

    @Test("A draft that cannot get its name is told as an API key, and not as a key file", .enabled(if: PostgreSQLCluster.isInstalled))
    func unnamed() async throws {
        try await withDatabase(on: .postgresql) { database in
            let (found, storage) = (try await ensured(in: database), storage(in: database))
            try await makeServer(in: database)
            // With its folder both names are gone.
            try FileManager.default.removeItem(atPath: folder.file("data"))
            let error = await #expect(throws: RootAPIKeyError.self) { try await Self.settle(found, in: storage) }
            let words = error?.description ?? ""
            #expect(words.hasPrefix("cannot make the API key \(file): no such file or directory"), "\(words)")
        }
    }

    @Test(
        "A first start that was killed goes on with the key that it drew: before the database knew it, behind that, and behind its name",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func killed() async throws {
        try await withDatabase(on: .postgresql) { database in
            let storage = storage(in: database)
            _ = try await ensured(in: database)
            let drawn = try String(contentsOfFile: draft, encoding: .utf8)
            try await makeServer(in: database)
            let second = try await ensured(in: database)
            let own = try #require(try second.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(second.isMade && own.matches(drawn.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(try await NotedRootAPIKey(in: database).claim(own, under: key))
            // It is noted, and there is no file of the name.
            #expect(try await Self.keeps(try await ensured(in: database), in: storage))
            #expect(try content() == drawn && !Self.isThere(draft))

            try FileManager.default.copyItem(atPath: file, toPath: draft)
            #expect(try await !ensured(in: database).isMade)
            #expect(try content() == drawn && !Self.isThere(draft))
            // One that another node was before, whenever that comes again.
            try remove()
            _ = try folder.write(String(repeating: "b8", count: 32), to: "data/\(RootAPIKey.fileName).drawn", mode: 0o600)
            #expect(try await !Self.keeps(try await ensured(in: database), in: storage))
            #expect(!Self.isThere(file) && !Self.isThere(draft))
        }
    }

    @Test(
        "That a start has another key than the noted one is told in words that are true of one node and of a backup as well",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func differing() async throws {
        try await withDatabase(on: .postgresql) { database in
            try await makeServer(in: database)
            let log = LogRecorder()
            for digits in ["a7", "a7", "b8"] {
                await RootAPIKey.note(SecretText(String(repeating: digits, count: 32)), in: storage(in: database), log.logger())
            }
            let line = try #require(log.lines.first)
            #expect(log.lines.count == 1 && line.level == .warning)
            let words = "this start has another API key than the one that is noted in the database, by the start before it or in a backup"
            #expect(line.message.hasPrefix(words))
            #expect(line.message.contains("any node that has the noted one answers 401 to this") && !line.message.contains("each answers"))
        }
    }

    @Test("Where it cannot be noted that is told as what may be so, and nothing else becomes of the start")
    func notNoted() async throws {
        // Without tables.
        let database = try SQLiteDatabase.inMemory()
        let (log, own) = (LogRecorder(), SecretText(String(repeating: "a7", count: 32)))
        await RootAPIKey.note(own, in: OpenedStorage(database: database, key: key, mark: nil, logger: nil), log.logger())
        let line = try #require(log.lines.first)
        #expect(line.level == .error && line.message == "which API key this node has may not be noted in the database: the next start does it")
        #expect(log.lines.count == 1 && line.facts["error"] != nil)
        try await database.close()
    }

    @Test(
        "A link to what is not there, in the place of the file or of the data folder, is told as that, and not as a key that is missing; none is drawn",
        arguments: [false, true])
    func notThere(isFolder: Bool) async throws {
        let (data, none) = (folder.file("data"), folder.file("none"))
        if !isFolder { try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true) }
        let link = isFolder ? data : file
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: none)
        let words = isFolder ? "folder: mount the disk that it is on, or make it" : "file: mount the disk that it is on, or put it back"
        let reason = "no such file or directory: \(link) is a link to \(none), and there is no such \(words)"
        let error = RootAPIKeyError.unreadable(path: file, reason: reason)
        let settings = try await Settings.load(.ofBothServers, configFile: nil, environment: [:])
        await #expect(throws: error) { _ = try await RootAPIKey.presumed(settings, options) }
        for engine in DatabaseEngine.allCases {
            try await withDatabase(on: engine) { database in
                try await makeServer(in: database)
                _ = try await NotedRootAPIKey(in: database).note(SecretText(String(repeating: "a7", count: 32)), under: key)
                await #expect(throws: error) { _ = try await ensured(in: database) }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: none))
        #expect(try isFolder || FileManager.default.contentsOfDirectory(atPath: data) == [RootAPIKey.fileName])
    }

    @Test("Commands that an operator is told have the path as a shell reads it")
    func quoted() {
        let (path, word) = ("/srv/my data/root-api-key", "'/srv/my data/root-api-key'")
        let command = "(umask 077; openssl rand -hex 32 >\(word))"
        for error in [RootAPIKeyError.missing(path: path, database: "x"), .strange(path: path), .readableByOthers(path: path)] {
            #expect(error.description.contains(command), "\(error)")
        }
        #expect(RootAPIKeyError.readableByOthers(path: path).description.contains("run chmod 600 \(word)."))
    }

    @Test("On a file, which one server has alone, a key that was removed is followed by a new one, as ever")
    func alone() async throws {
        try await withDatabase(on: .sqlite) { database in
            try await makeServer(in: database)
            let first = try await ensured(in: database)
            let own = try #require(try first.settings.secret(.rootAPIKey, file: .rootAPIKeyFile))
            #expect(try await NotedRootAPIKey(in: database).note(own, under: key) == false)
            #expect(try await NotedRootAPIKey(in: database).isNoted())
            let made = try content()
            try remove()
            #expect(try await ensured(in: database).isMade)
            #expect(try content() != made)
        }
    }

    @Test(
        "A start knows whether the one before it had another key, whichever node that was; what the database holds of keys is no digest of one",
        arguments: DatabaseEngine.allCases)
    func noted(on engine: DatabaseEngine) async throws {
        try await withDatabase(on: engine) { database in
            let keys = NotedRootAPIKey(in: database)
            #expect(try await keys.isNoted() == false)
            try await makeServer(in: database)
            #expect(try await keys.isNoted() == false)
            let (one, other) = (SecretText(String(repeating: "a7", count: 32)), SecretText(String(repeating: "b8", count: 32)))
            #expect(try await keys.note(one, under: key) == false)
            #expect(try await keys.isNoted())
            #expect(try await keys.note(one, under: key) == false)
            // A change at one node, then at the second; and a third that was forgotten.
            #expect(try await keys.note(other, under: key))
            #expect(try await keys.note(other, under: key) == false)
            #expect(try await keys.note(one, under: key))
            // The same key under another key-encryption key leaves other bytes: guesses need both.
            #expect(try await keys.note(one, under: .random()))
            let held = try await database.read { connection in
                try connection.query("SELECT digest FROM applied_setting WHERE name = 'root_api_key'").map { row in try row.blob("digest") }
            }
            #expect(held.count == 1 && held.first != one.hash && held.first != SHA(one.hash))
        }
    }
}

/// A database that says when it is read, before it is.
private struct AskedDatabase: Database {
    let base: any Database
    let asked: @Sendable () -> Void

    var dialect: SQLDialect { base.dialect }
    var place: String { base.place }
    var isShared: Bool { base.isShared }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        asked()
        return try await base.read(body)
    }

    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.transaction(body)
    }

    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }
    func purge() async throws { try await base.purge() }
    func close() async throws { try await base.close() }
}
