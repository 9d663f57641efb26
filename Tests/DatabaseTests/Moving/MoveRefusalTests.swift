import Database
import Foundation
import OstiaryTesting
import Testing

@Suite("Moves that are refused", .timeLimit(.minutes(5)))
struct MoveRefusalTests {
    @Test("A target with rows of its own is refused, and left as it is", arguments: MoveDirection.allCases)
    func notEmpty(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            try await target.fillForMove()
            try await target.transaction { try $0.execute("UPDATE named SET value = 12") }
            let before = try await target.movedRows()
            await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: target) }
            #expect(try await target.movedRows() == before)
            #expect(try await !target.isMarked())
        }
    }

    @Test("A schema without a row is not empty either: it is a server that was started", arguments: MoveDirection.allCases)
    func started(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            try await target.beginSchema()
            await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: target) }
        }
    }

    @Test("A move that came to its end only compares when it is given again, until a server has written to the new database")
    func again() async throws {
        try await MoveDirection(from: .memory, to: .memory).run { source, target in
            let first = try await source.move(to: target)
            let counting = DyingDatabase(target, .never)
            let second = try await source.move(to: counting)
            #expect(second.wasMoved && second.tables.map(\.hash) == first.tables.map(\.hash) && counting.commits == 0)
            try await target.transaction { try $0.execute("UPDATE named SET value = 12") }
            await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: target) }
        }
    }

    @Test("The beginning of one move is not gone on with from another source", arguments: MoveDirection.allCases)
    func otherSource(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(8, isKept: true))) }
            try await Backend.memory.withEmptyDatabase { other in
                try await other.fillForMove()
                try await other.transaction { try $0.execute("UPDATE owner SET name = 'somebody else' WHERE name IS NULL") }
                let refusal = MoveRefusal.otherSource(target: "the new one", source: "sqlite:old")
                await #expect(throws: refusal) { try await other.move(to: target) }
            }
            try await source.move(to: target)
            #expect(try await target.movedRows() == source.movedRows())
        }
    }

    @Test("A table that the program does not make is not left out silently", arguments: MoveDirection.allCases)
    func unlike(_ direction: MoveDirection) async throws {
        try await direction.run { source, target in
            try await source.transaction { try $0.execute("CREATE TABLE extra (id TEXT NOT NULL PRIMARY KEY)") }
            await #expect(throws: MoveRefusal.unlikeTables(["extra"])) { try await source.move(to: target) }
        }
        try await direction.run { source, target in
            try await source.transaction { try $0.execute("ALTER TABLE owner ADD COLUMN extra TEXT") }
            await #expect(throws: MoveRefusal.unlikeTables(["owner"])) { try await source.move(to: target) }
        }
        try await direction.run { source, target in
            try await source.transaction { try $0.execute("CREATE TABLE keyless (id TEXT)") }
            await #expect(throws: MoveRefusal.noKey("keyless")) { try await source.move(to: target) }
        }
        // It may be a table of ours that a restore left without: whoever removes that removes everybody in it.
        let words = MoveRefusal.noKey("account").description
        let (mending, removal) = (words.firstRange(of: "gives the key back"), words.firstRange(of: "Remove a table only if others made it"))
        #expect(try #require(mending).upperBound < #require(removal).lowerBound, "\(words)")
    }

    @Test("A source must have every step that this program knows, but such as may wait, and none more; which server's it is its first step says")
    func steps() async throws {
        let other = MovableSchema(migrations: [Migration(1, "others") { _ in [] }], identifiedBy: [])
        func place(_ steps: [Migration]) async throws -> Int {
            try await Backend.memory.withEmptyDatabase { database in
                try await database.migrate(steps)
                return try await MovableSchema.of(MoveEnd(database, url: "", name: "it"), among: [other, movedSchema])
            }
        }
        let later = Migration(3, "later") { _ in [] }
        // One before it is missing.
        try await Backend.memory.withEmptyDatabase { database in
            try await database.migrate([movedSteps[0], later])
            let schema = MovableSchema(migrations: movedSteps + [later], identifiedBy: [])
            await #expect(throws: MoveRefusal.olderSource("it", version: 3)) {
                try await MovableSchema.of(MoveEnd(database, url: "", name: "it"), among: [schema])
            }
            let patient = Migration(2, "patient", mayWait: true) { _ in [] }
            let waiting = MovableSchema(migrations: [movedSteps[0], patient, later], identifiedBy: [])
            #expect(try await MovableSchema.of(MoveEnd(database, url: "", name: "it"), among: [waiting]) == 0)
        }
        #expect(try await place(movedSteps) == 1)
        #expect(try await place(other.migrations) == 0)
        await #expect(throws: MoveRefusal.olderSource("it", version: 1)) { try await place([movedSteps[0]]) }
        await #expect(throws: DatabaseOpenError.newerThanProgram(version: 3)) { try await place(movedSteps + [later]) }
        await #expect(throws: DatabaseOpenError.notOurs(path: "it")) { try await place([later]) }
        let foreign = DatabaseOpenError.foreignMigration(number: 2, expected: movedSteps[1].name, found: "else")
        await #expect(throws: foreign) { try await place([movedSteps[0], Migration(2, "else") { _ in [] }]) }
        await #expect(throws: MoveRefusal.notStarted("it")) { try await place([]) }
    }

    @Test("Of a source that wants steps and was moved already it is told that it was moved: no server is to be started on it")
    func olderAndMoved() async throws {
        try await Backend.memory.withEmptyDatabase { database in
            try await database.migrate([movedSteps[0]])
            let word = MovedWord(target: "sqlite:new", mark: .comment)
            await #expect(throws: MoveRefusal.movedAway("it", word)) {
                try await MovableSchema.of(MoveEnd(database, url: "", name: "it", word: { word }), among: [movedSchema])
            }
        }
    }

    @Test("A source whose server runs is refused", arguments: MoveDirection.allCases.filter { $0.from != .memory })
    func running(_ direction: MoveDirection) async throws {
        let folder = try TemporaryFolder()
        if direction.from == .file {
            let database = try SQLiteDatabase.open(path: folder.databasePath)
            try await database.fillForMove()
            let locked = DatabaseOpenError.lockedByAnotherProcess(path: folder.databasePath)
            #expect(throws: locked) { try MoveEnd.source(.sqlite(path: folder.databasePath), "") }
            try await database.close()
            return try await MoveEnd.source(.sqlite(path: folder.databasePath), "").close()
        }
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        let server = try await cluster.open(name)
        try await server.fillForMove()
        let source = try MoveEnd.source(.postgresql(cluster.address(of: name)), "postgresql:")
        let target = MoveEnd(try SQLiteDatabase.inMemory(), url: "sqlite:", name: "it")
        let move = DatabaseMove(from: source, to: target, schema: movedSchema)
        await #expect { try await move.run() } throws: { error in
            guard case MoveRefusal.serverRuns("the database \(cluster.address(of: name))", let connections)? = error as? MoveRefusal else {
                return false
            }
            return connections > 0
        }
        await server.close()
        let report = try await report(of: move)
        #expect(report.rows > 20)
        try await source.close()
    }

    /// A connection that was closed is seen for a moment still.
    private func report(of move: DatabaseMove) async throws -> MoveReport {
        while true {
            do { return try await move.run() } catch MoveRefusal.serverRuns { await Task.yield() }
        }
    }

    @Test(
        "No server opens the target of a move that has not come to its end; the move does",
        arguments: MoveDirection.allCases.filter { $0.to != .memory })
    func unfinished(_ direction: MoveDirection) async throws {
        let (folder, path) = (try TemporaryFolder(), "here")
        let cluster = direction.to == .postgresql ? try await PostgreSQLCluster.shared : nil
        let name = try await cluster?.makeDatabase() ?? ""
        defer { cluster?.leave(name) }
        let file = folder.file(path)
        let url = cluster.map { DatabaseURL.postgresql($0.address(of: name)) } ?? .sqlite(path: file)
        let place = cluster?.address(of: name).description ?? file
        try await direction.from.withEmptyDatabase { source in
            try await source.fillForMove()
            // Behind the mark, behind a step of the schema, behind the first rows, behind the last: counted by what is left each time.
            for commit in [1, 2, 9, 8] {
                let target = try openDatabase(url)
                await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(commit, isKept: true))) }
                try await target.close()
                for content in [DatabaseContent.ours, .nothingOrOurs] {
                    let refusal = DatabaseOpenError.unfinishedMove(path: place, source: "sqlite:old", target: url.text)
                    #expect(throws: refusal) { try openDatabase(url, content: content) }
                    #expect(throws: refusal) { try checkContent(content, of: url) }
                }
                try await openDatabase(url, content: .nothingOrMoved).close()
            }
            let target = try MoveEnd.target(url, "sqlite:new")
            let from = MoveEnd(source, url: "sqlite:old", name: "the old one")
            _ = try await DatabaseMove(from: from, to: target, schema: movedSchema).run()
            try await target.close()
            try await openDatabase(url, content: .ours).close()
        }
    }

    private static let serverRuns = MoveRefusal.serverRuns("the old one", connections: 1)

    /// A move to a file that is refused before it has made anything there.
    private func expectRefused(_ file: String) async throws {
        let source = try SQLiteDatabase.inMemory()
        let from = MoveEnd(source, url: "postgresql:old", name: "the old one", checkAlone: { throw Self.serverRuns })
        let target = try MoveEnd.target(.sqlite(path: file), "sqlite:new")
        await #expect(throws: Self.serverRuns) { _ = try await DatabaseMove(from: from, to: target, schema: movedSchema).run() }
        try await target.close()
        try await source.close()
    }

    @Test("A move that is refused before its first table leaves nothing where its target was to be, by which a start would take that for a lost one")
    func leavesNothing() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("new.sqlite")
        for _ in 0..<2 {
            try await expectRefused(file)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
        // A link to nowhere stays one.
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: file)
        try await expectRefused(folder.file("link"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["link"])
        // A file without a byte is one again.
        try Data().write(to: URL(fileURLWithPath: file))
        try await expectRefused(file)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["link", "new.sqlite"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
        let server = try openDatabase(.sqlite(path: file))
        try await server.beginSchema()
        try await server.close()
    }

    @Test("What a server has left at the target of a refused move stays, word for word: its database may be lost")
    func leavesTraces() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("new.sqlite")
        let server = try openDatabase(.sqlite(path: file))
        try await server.beginSchema()
        try await server.close()
        let noted = try Data(contentsOf: URL(fileURLWithPath: file + ".lock"))
        #expect(!noted.isEmpty)
        // With its tables, it is no target that a move gives back.
        try await expectRefused(file)
        try checkContent(.ours, of: .sqlite(path: file))
        try noted.write(to: URL(fileURLWithPath: file + ".lock"))
        for isOfNoBytes in [false, true] {
            try FileManager.default.removeItem(atPath: file)
            if isOfNoBytes { try Data().write(to: URL(fileURLWithPath: file)) }
            try await expectRefused(file)
            #expect(FileManager.default.fileExists(atPath: file) == isOfNoBytes)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file + ".lock")) == noted)
            try Data().write(to: URL(fileURLWithPath: file))
        }
    }

    @Test("A log beside a target that is missing or without a byte stays: it may hold what a lost database had last, and opening would remove it")
    func leavesLogs() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("new.sqlite")
        let server = try openDatabase(.sqlite(path: file))
        try await server.beginSchema()
        let left = try Data(contentsOf: URL(fileURLWithPath: file + "-wal"))
        try await server.close()
        #expect(!left.isEmpty)
        // By a link that leads to it as well.
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: file)
        for (end, isOfNoBytes) in [("-wal", false), ("-wal", true), ("-journal", false), ("-journal", true)] {
            for name in ["new.sqlite", "new.sqlite.lock"] { try? FileManager.default.removeItem(atPath: folder.file(name)) }
            if isOfNoBytes { try Data().write(to: URL(fileURLWithPath: file)) }
            try left.write(to: URL(fileURLWithPath: file + end))
            let before = try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
            for place in [file, folder.file("link")] {
                let error = #expect(throws: DatabaseOpenError.self) { try MoveEnd.target(.sqlite(path: place), "") }
                let words = "it is \(isOfNoBytes ? "without a byte" : "missing"), and the log \(file)\(end) is not empty"
                #expect(error?.description.contains(words) == true, "\(String(describing: error))")
                #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == before)
                #expect(try Data(contentsOf: URL(fileURLWithPath: file + end)) == left)
            }
            // One without a byte is nobody's.
            try Data().write(to: URL(fileURLWithPath: file + end))
            try await expectRefused(file)
            try? FileManager.default.removeItem(atPath: file + end)
        }
    }

    @Test("A target that cannot be opened leaves nothing either: what lies in the place of a side file is told, and no empty file stays beside it")
    func unopened() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("new.sqlite")
        try FileManager.default.createDirectory(atPath: file + "-shm", withIntermediateDirectories: false)
        for isOfNoBytes in [false, true] {
            if isOfNoBytes { try Data().write(to: URL(fileURLWithPath: file)) }
            #expect(throws: DatabaseOpenError.self) { try MoveEnd.target(.sqlite(path: file), "") }
            let left: Set = isOfNoBytes ? ["new.sqlite", "new.sqlite-shm"] : ["new.sqlite-shm"]
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == left)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
    }

    @Test("The command that finishes a move is told whole, or not: a URL of which a line shows a part names another database")
    func finishing() {
        func words(_ source: String, _ target: String?) -> String {
            DatabaseOpenError.unfinishedMove(path: "x", source: source, target: target).description
        }
        let whole = "finish it with ostiary admin move-database --from sqlite:/srv/old --to 'postgresql:///new?host=/srv', or remove it and take "
        #expect(words("sqlite:/srv/old", "postgresql:///new?host=/srv").contains(whole))
        let long = "sqlite:/srv/" + String(repeating: "x", count: 700)
        let broken: [(source: String, target: String?)] = [
            ("sqlite:/a  b", "sqlite:/c"), ("sqlite:/a", "sqlite:/c  d"), (long, "sqlite:/c"), ("sqlite:/a", nil), ("", "sqlite:/c"),
        ]
        for (source, target) in broken {
            let told = words(source, target)
            #expect(!told.contains("--") && told.contains("finish it by the same ostiary admin move-database that began it"), "\(told)")
        }
    }

    @Test("A target in a folder that is not there is refused, and no folder is made: it is a typo, or a disk that is not mounted")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("file")))
        for place in ["srv", "srv/more", "file"] {
            let file = folder.file("\(place)/new.sqlite")
            let reason = "there is no folder \(folder.file(place)): make it, or mount the disk that it is on; nothing was made"
            #expect(throws: DatabaseOpenError.cannotOpen(path: file, reason: reason)) { try MoveEnd.target(.sqlite(path: file), "") }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        try await MoveEnd.target(.sqlite(path: folder.file("new.sqlite")), "").close()
    }

    @Test("A file with a second name is not moved, since a server could be started by the other one: by neither name, until that is gone")
    func twoNames() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let database = try SQLiteDatabase.open(path: folder.databasePath)
        try await database.fillForMove()
        try await database.close()
        try FileManager.default.linkItem(atPath: folder.databasePath, toPath: other.databasePath)
        for path in [folder.databasePath, other.databasePath] {
            #expect(throws: MoveRefusal.otherNames(path: path)) { try MoveEnd.source(.sqlite(path: path), "") }
        }
        // Not even a log was begun beside it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).count == 1)
        try FileManager.default.removeItem(atPath: other.databasePath)
        try await MoveEnd.source(.sqlite(path: folder.databasePath), "").close()
    }

    @Test("What holds the tables of others is no target, and a file that is not there no source; neither is made or changed")
    func others() async throws {
        let folder = try TemporaryFolder()
        #expect(throws: DatabaseOpenError.cannotOpen(path: folder.databasePath, reason: "there is no such file")) {
            try MoveEnd.source(.sqlite(path: folder.databasePath), "")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.databasePath))
        let database = try openDatabase(.sqlite(path: folder.databasePath))
        try await database.transaction { try $0.execute("CREATE TABLE theirs (n INTEGER PRIMARY KEY)") }
        try await database.close()
        let refusal = MoveRefusal.targetOfOthers(folder.databasePath)
        #expect(throws: refusal) { try MoveEnd.target(.sqlite(path: folder.databasePath), "") }
        #expect(refusal.description.hasSuffix("name an empty database"))
    }
}
