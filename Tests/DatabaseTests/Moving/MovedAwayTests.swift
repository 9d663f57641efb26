import Database
import Foundation
import OstiaryTesting
import Synchronization
import Testing

/// docs/decisions/0058
@Suite("A database from which was moved", .timeLimit(.minutes(5)))
struct MovedAwayTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A place for a database, as an operator names it.
    private struct Place {
        let url: DatabaseURL
        let text: String
        let mark: MovedMark

        var name: String { if case .postgresql(let address) = url { address.description } else { String(text.dropFirst("sqlite:".count)) } }
        func movedTo(_ other: Place) -> DatabaseOpenError { .movedAway(path: name, target: other.text, mark: mark) }
    }

    private func place(_ backend: Backend, _ name: String = "file.sqlite") async throws -> Place {
        guard backend == .postgresql else {
            let file = URL(fileURLWithPath: folder.file(name)).standardizedFileURL.path
            return Place(url: .sqlite(path: file), text: "sqlite:\(file)", mark: .file(MovedFileName.of(file)))
        }
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        return Place(
            url: .postgresql(cluster.address(of: name)), text: "postgresql://ostiary@/\(name)?host=\(cluster.folder)&it=\\'\"", mark: .comment)
    }

    private func open(_ url: DatabaseURL) async throws -> any Database { try await onOwnThread { try openDatabase(url) } }

    private func move(_ from: Place, _ to: Place, meanwhile: @Sendable @escaping (MoveProgress) -> Void = { _ in }) async throws -> MoveReport {
        let source = try await onOwnThread { try MoveEnd.source(from.url, from.text) }
        let target = try await onOwnThread { try MoveEnd.target(to.url, to.text) }
        let move = DatabaseMove(from: source, to: target, schema: movedSchema, batch: 5)
        let result = await Result { try await alone(move, meanwhile) }
        for end in [source, target] { try await end.close() }
        return try result.get()
    }

    private func alone(_ move: DatabaseMove, _ meanwhile: @Sendable @escaping (MoveProgress) -> Void = { _ in }) async throws -> MoveReport {
        while true {
            // A connection that was just closed here is there a moment longer.
            do { return try await move.run(meanwhile) } catch MoveRefusal.serverRuns { try Task.checkCancellation() }
        }
    }

    @Test(
        "It says to where, and no row of it is another; what was moved to says nothing; given again the move says it again",
        arguments: MoveDirection.allCases.filter { $0.to != .memory })
    func says(_ direction: MoveDirection) async throws {
        let (from, to) = (try await place(direction.from), try await place(direction.to))
        let before = try await open(from.url)
        try await before.fillForMove()
        let rows = try await before.movedRows()
        try await before.close()
        for url in [from.url, to.url] { try checkNotMoved(url) }

        // Before its end it is what a server goes back to.
        let early = Mutex(false)
        let report = try await move(from, to) { _ in
            guard case .file(let mark) = from.mark, FileManager.default.fileExists(atPath: mark) else { return }
            early.withLock { $0 = true }
        }
        #expect(report.isNoted && !report.wasMoved && !early.withLock { $0 })
        #expect(throws: from.movedTo(to)) { try checkNotMoved(from.url) }
        try checkNotMoved(to.url)
        let after = try await open(from.url)
        #expect(try await after.movedRows() == rows)
        try await after.close()

        // As after a move by a program that left no word.
        try await forget(from)
        try checkNotMoved(from.url)
        let again = try await move(from, to)
        #expect(again.wasMoved && again.isNoted)
        #expect(throws: from.movedTo(to)) { try checkNotMoved(from.url) }
        try checkNotMoved(to.url)
    }

    /// What the refusal says that an operator does.
    private func forget(_ place: Place) async throws {
        guard case .file(let path) = place.mark else {
            let database = try await open(place.url)
            try await database.transaction { connection -> Void in try connection.execute("COMMENT ON TABLE schema_version IS NULL") }
            return try await database.close()
        }
        try FileManager.default.removeItem(atPath: path)
    }

    @Test(
        "It says so while the target is still one of an unfinished move: killed between the two, a server starts on neither and the move ends itself"
    )
    func order() async throws {
        try await MoveDirection(from: .memory, to: .memory).run { source, target in
            let noted = Mutex<[String]>([])
            let from = MoveEnd(
                source, url: "sqlite:old", name: "the old one",
                noteMoved: { to in
                    let isUnfinished = try await target.read { try $0.one("SELECT source FROM unfinished_move") } != nil
                    noted.withLock { $0.append("\(to) \(isUnfinished)") }
                    throw Killed()
                })
            let to = MoveEnd(target, url: "sqlite:new", name: "the new one")
            await #expect(throws: Killed()) { try await DatabaseMove(from: from, to: to, schema: movedSchema).run() }
            #expect(noted.withLock { $0 } == ["sqlite:new true"])
            let report = try await source.move(to: target)
            #expect(!report.wasMoved && report.resumedAt > 0)
        }
    }

    @Test("Where that is another role's to say the move ends all the same, and says that it was not noted")
    func notAllowed() async throws {
        try await MoveDirection(from: .memory, to: .memory).run { source, target in
            let from = MoveEnd(
                source, url: "sqlite:old", name: "the old one",
                noteMoved: { _ in throw SQLError.notAllowed(path: "it", reason: "must be owner of table schema_version") })
            let to = MoveEnd(target, url: "sqlite:new", name: "the new one")
            let report = try await DatabaseMove(from: from, to: to, schema: movedSchema).run()
            #expect(!report.isNoted && report.rows > 0)
        }
    }

    @Test(
        "There and back, at once or into a file of the name of before, the word is where the rows were last, and never at both ends",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func back() async throws {
        let (file, database) = (try await place(.file), try await place(.postgresql))
        let first = try await open(file.url)
        try await first.fillForMove()
        try await first.close()
        for isFirst in [true, false] {
            #expect(try await move(file, database).wasMoved == !isFirst)
            #expect(throws: file.movedTo(database)) { try checkNotMoved(file.url) }
            try checkNotMoved(database.url)
            // Nobody has written there meanwhile.
            guard isFirst else { continue }
            #expect(try await move(database, file).wasMoved)
            try checkNotMoved(file.url)
            #expect(throws: database.movedTo(file)) { try checkNotMoved(database.url) }
        }
        let server = try await open(database.url)
        _ = try await server.nextLine()
        try await server.close()
        await #expect(throws: MoveRefusal.targetNotEmpty("the database \(file.name)")) { try await self.move(database, file) }
        #expect(throws: file.movedTo(database)) { try checkNotMoved(file.url) }
        try checkNotMoved(database.url)
        // Gone, it is still known where its rows are.
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.name + end) }
        #expect(throws: file.movedTo(database)) { try checkNotMoved(file.url) }
        #expect(try await !move(database, file).wasMoved)
        try checkNotMoved(file.url)
        #expect(throws: database.movedTo(file)) { try checkNotMoved(database.url) }
    }

    @Test(
        "Moved from once, it moves to no other one until somebody takes its word away, nor anew to that one, where a server has written since",
        arguments: MoveDirection.allCases.filter { $0.to != .memory })
    func onceMore(_ direction: MoveDirection) async throws {
        let (from, to) = (try await place(direction.from), try await place(direction.to))
        let other = try await place(direction.to, "other.sqlite")
        let first = try await open(from.url)
        try await first.fillForMove()
        try await first.close()
        _ = try await move(from, to)
        let refusal = MoveRefusal.movedAway("the database \(from.name)", MovedWord(target: to.text, mark: from.mark))
        await #expect(throws: refusal) { try await self.move(from, other) }
        #expect(throws: from.movedTo(to)) { try checkNotMoved(from.url) }
        #expect(throws: DatabaseOpenError.empty(path: other.name)) { try checkContent(.ours, of: other.url) }
        let server = try await open(to.url)
        _ = try await server.nextLine()
        try await server.close()
        await #expect(throws: refusal) { try await self.move(from, to) }

        try await forget(from)
        await #expect(throws: MoveRefusal.targetNotEmpty("the database \(to.name)")) { try await self.move(from, to) }
        #expect(try await !move(from, other).wasMoved)
        #expect(throws: from.movedTo(other)) { try checkNotMoved(from.url) }
    }

    @Test("With the word of this very move it goes on from a mark, and says what was moved; into nothing it begins no other")
    func ownWord() async throws {
        try await MoveDirection(from: .memory, to: .memory).run { source, target async throws in
            func run(_ word: String?, _ url: String = "sqlite:/srv/new") async throws -> MoveReport {
                let from = MoveEnd(source, url: "sqlite:old", name: "the old one", word: { MovedWord(target: word, mark: .comment) })
                return try await DatabaseMove(from: from, to: MoveEnd(target, url: url, name: "the new one"), schema: movedSchema).run()
            }
            func refusal(_ word: String?) -> MoveRefusal { .movedAway("the old one", MovedWord(target: word, mark: .comment)) }
            await #expect(throws: refusal("sqlite:/srv/new")) { try await run("sqlite:/srv/new") }
            await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(8, isKept: true))) }
            for word in ["sqlite:/srv/other", "postgresql:///new?host=/srv", nil] {
                await #expect(throws: refusal(word)) { try await run(word) }
            }
            #expect(try await !run("sqlite:///srv/./new").wasMoved)
            #expect(try await run("sqlite:/srv/new").wasMoved)
            #expect(try await run("postgresql:///new?host=/srv", "postgresql:///new?host=/srv&connections=4").wasMoved)
            let other = "postgresql:///old?host=/srv"
            await #expect(throws: refusal(other)) { try await run(other, "postgresql:///new?host=/srv") }
        }
    }

    @Test(
        "Of two moves at once from one PostgreSQL to two files the second to end is told of the first, and its target stays an unfinished one",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func twoTargets() async throws {
        let (from, one, other) = (try await place(.postgresql), try await place(.file), try await place(.file, "other.sqlite"))
        let first = try await open(from.url)
        try await first.fillForMove()
        try await first.close()
        let source = try await onOwnThread { try MoveEnd.source(from.url, from.text) }
        let target = try await onOwnThread { try openDatabase(one.url, content: .nothingOrMoved) }
        // It has set its mark then.
        let slower = MoveEnd(target, url: one.text, name: "the slower one", forgetMoved: { _ = try await self.move(from, other) })
        let refusal = MoveRefusal.movedAway("the database \(from.name)", MovedWord(target: other.text, mark: .comment))
        await #expect(throws: refusal) { try await self.alone(DatabaseMove(from: source, to: slower, schema: movedSchema, batch: 5)) }
        try await source.close()
        try await target.close()
        #expect(throws: from.movedTo(other)) { try checkNotMoved(from.url) }
        let unfinished = DatabaseOpenError.unfinishedMove(path: one.name, source: from.text, target: one.url.text)
        #expect(throws: unfinished) { try checkContent(.ours, of: one.url) }
        try checkContent(.ours, of: other.url)
    }

    @Test("A word that cannot be read is one all the same, and what it says is one line")
    func spoilt() throws {
        let file = folder.file("file.sqlite")
        let mark = MovedMark.file(MovedFileName.of(file))
        for (content, target) in [([], nil), ([0xFF, 0xFE], nil), (Array("a\u{1B}[2J\nb".utf8), "a [2J b")] as [([UInt8], String?)] {
            try Data(content).write(to: URL(fileURLWithPath: MovedFileName.of(file)))
            #expect(throws: DatabaseOpenError.movedAway(path: file, target: target, mark: mark)) { try checkNotMoved(.sqlite(path: file)) }
        }
        let words = DatabaseOpenError.movedAway(path: file, target: "postgresql:///x", mark: mark).description
        #expect(words.contains("was moved to postgresql:///x") && words.contains("admin move-database") && words.hasSuffix("remove \(file).moved"))
        let refusal = MoveRefusal.movedAway("the database \(file)", MovedWord(target: "postgresql:///x", mark: mark)).description
        #expect(refusal.contains("was moved to postgresql:///x already (\(file).moved)"))
        #expect(refusal.hasSuffix("remove \(file).moved, then run the same command again"))
        let comment = DatabaseOpenError.movedAway(path: "x", target: nil, mark: .comment).description
        #expect(comment.contains("was moved to another one") && comment.hasSuffix("run COMMENT ON TABLE schema_version IS NULL there"))
    }

    @Test(
        "A word that is a link to what is not there, or that leads in a circle, is one all the same: it is told why it cannot be read",
        arguments: [false, true])
    func unread(isCircle: Bool) throws {
        let file = folder.file("file.sqlite")
        let (path, target) = (MovedFileName.of(file), folder.file("none"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: isCircle ? path : target)
        let error = #expect(throws: DatabaseOpenError.self) { try checkNotMoved(.sqlite(path: file)) }
        let words =
            isCircle
            ? "too many levels of symbolic links: the links behind \(path) lead in a circle"
            : "no such file or directory: \(path) is a link to \(target)"
        let told = error?.description ?? ""
        #expect(told.hasPrefix("the database \(file) was moved to another one (\(path), which cannot be read: \(words)"), "\(told)")
        #expect(told.hasSuffix("remove \(path)"), "\(told)")
        // Laid aside as it says.
        try FileManager.default.removeItem(atPath: path)
        try checkNotMoved(.sqlite(path: file))
    }
}

/// The file beside a database file, as an operator finds it.
private enum MovedFileName {
    static func of(_ file: String) -> String { "\(file).moved" }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
