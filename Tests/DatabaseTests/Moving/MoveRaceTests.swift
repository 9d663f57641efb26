import Database
import Foundation
import OstiaryTesting
import Synchronization
import Testing

/// A server that starts on the target of a move, when both begin at the same moment.
@Suite("A move and a server at once", .timeLimit(.minutes(5)))
struct MoveRaceTests {
    private static let engines: [Backend] = PostgreSQLCluster.isInstalled ? [.file, .postgresql] : [.file]

    /// Lends an empty database of an engine whose files, or server, several come to.
    private func withURL(_ engine: Backend, _ body: (DatabaseURL, _ place: String) async throws -> Void) async throws {
        guard engine == .postgresql else {
            let folder = try TemporaryFolder()
            return try await body(.sqlite(path: folder.databasePath), folder.databasePath)
        }
        let cluster = try await PostgreSQLCluster.shared
        let name = try await cluster.makeDatabase()
        defer { cluster.leave(name) }
        try await body(.postgresql(cluster.address(of: name)), cluster.address(of: name).description)
    }

    private func open(_ url: DatabaseURL, content: DatabaseContent, ownership: DatabaseOwnership = .shared) async throws -> any Database {
        try await onOwnThread { try openDatabase(url, ownership: ownership, content: content) }
    }

    private func filled() async throws -> SQLiteDatabase {
        let source = try SQLiteDatabase.inMemory()
        try await source.fillForMove()
        return source
    }

    @Test("A server that has looked at an empty database takes no step when a move has set its mark since", arguments: engines)
    func markSince(_ engine: Backend) async throws {
        let source = try await filled()
        try await withURL(engine) { url, place in
            let server = try await open(url, content: .nothingOrOurs)
            let target = try await open(url, content: .nothingOrMoved)
            await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(1, isKept: true))) }
            let refusal = DatabaseOpenError.unfinishedMove(path: place, source: "sqlite:old")
            await #expect(throws: refusal) { try await server.beginSchema() }
            await #expect(throws: refusal) { try await server.migrate(movedSteps) }
            try await source.move(to: target)
            #expect(try await target.movedRows() == source.movedRows())
            try await server.migrate(movedSteps)
            for database in [server, target] { try await database.close() }
        }
    }

    @Test("A move that has looked at an empty database sets no mark when a server has made its first tables since", arguments: engines)
    func tablesSince(_ engine: Backend) async throws {
        let source = try await filled()
        try await withURL(engine) { url, _ in
            let server = try await open(url, content: .nothingOrOurs)
            let target = try await open(url, content: .nothingOrMoved)
            let held = HeldDatabase(target, at: .firstTransaction) { try await server.beginSchema() }
            await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: held) }
            #expect(try await !target.isMarked())
            try await server.migrate(movedSteps)
            for database in [server, target] { try await database.close() }
        }
    }

    @Test(
        "Held up between its look and its table, each of the two finds what the other has made meanwhile", .enabled(if: PostgreSQLCluster.isInstalled)
    )
    func insideTransaction() async throws {
        let source = try await filled()
        try await withURL(.postgresql) { url, place in
            let (server, target) = (try await open(url, content: .nothingOrOurs), try await open(url, content: .nothingOrMoved))
            let held = HeldDatabase(server, at: .firstAnswer) {
                await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(1, isKept: true))) }
            }
            await #expect(throws: DatabaseOpenError.unfinishedMove(path: place, source: "sqlite:old")) { try await held.migrate(movedSteps) }
            try await source.move(to: target)
            #expect(try await target.movedRows() == source.movedRows())
            for database in [server, target] { try await database.close() }
        }
        try await withURL(.postgresql) { url, _ in
            let (server, target) = (try await open(url, content: .nothingOrOurs), try await open(url, content: .nothingOrMoved))
            let held = HeldDatabase(target, at: .firstAnswer) { try await server.migrate(movedSteps) }
            await #expect(throws: MoveRefusal.targetNotEmpty("the new one")) { try await source.move(to: held) }
            #expect(try await !target.isMarked())
            #expect(try await target.movedRows()["named"]?.count == 2)
            for database in [server, target] { try await database.close() }
        }
    }

    @Test(
        "A server that sees the mark of a move whose end takes it away meanwhile looks again, and goes on with what was moved",
        .enabled(if: PostgreSQLCluster.isInstalled))
    func markGone() async throws {
        let source = try await filled()
        try await withURL(.postgresql) { url, _ in
            let target = try await open(url, content: .nothingOrMoved)
            await #expect(throws: Killed()) { try await source.move(to: DyingDatabase(target, .commit(1, isKept: true))) }
            let server = try await open(url, content: .any)
            let held = HeldDatabase(server, at: .firstAnswer) { _ = try await source.move(to: target) }
            try await held.migrate(movedSteps)
            #expect(try await server.movedRows() == source.movedRows())
            for database in [server, target] { try await database.close() }
        }
    }

    @Test("Of a move and a server that begin at once one has the database, and nothing in it is half", arguments: engines)
    func rounds(_ engine: Backend) async throws {
        let source = try await filled()
        let rows = try await source.movedRows()
        for round in 0..<16 {
            try await withURL(engine) { url, _ in
                // As a server holds a file, and as a command beside it comes.
                let ownership: DatabaseOwnership = round % 2 == 0 ? .exclusive : .shared
                async let move: Bool = {
                    for _ in 0..<(round / 4 * 8) { await Task.yield() }
                    return try await hasIt { try await moved(source, to: url) }
                }()
                let isServers = try await hasIt {
                    let server = try await open(url, content: .nothingOrOurs, ownership: ownership)
                    try await closing(server) { try await $0.migrate(movedSteps) }
                }
                let isMoved = try await move
                // Neither has it where the command had looked for a holder just before the move took the file; then whoever comes next has it.
                if !isServers, !isMoved {
                    let server = try await open(url, content: .nothingOrOurs)
                    try await closing(server) { try await $0.migrate(movedSteps) }
                }
                let found = try await open(url, content: .ours)
                try await closing(found) { database in
                    #expect(try await !database.isMarked())
                    let found = try await database.movedRows()
                    // A server may also have come when all was moved.
                    #expect(isMoved ? found == rows : found["owner"] == [] && found["named"]?.count == 2, "round \(round)")
                }
            }
        }
    }

    @Test(
        "Of two moves from copies of one database one comes to its end, and the other is told of it", .enabled(if: PostgreSQLCluster.isInstalled)
    )
    func copies() async throws {
        let sources = [try await filled(), try await filled()]
        for _ in 0..<6 {
            try await withURL(.postgresql) { url, _ in
                async let other = hasIt { try await moved(sources[1], to: url) }
                let outcomes = [try await hasIt { try await moved(sources[0], to: url) }, try await other]
                // The slower one may also have come when all was moved.
                #expect(outcomes.contains(true))
                let found = try await open(url, content: .ours)
                try await closing(found) { database in
                    let rows = try await database.movedRows()
                    #expect(try await rows == sources[0].movedRows())
                }
            }
        }
    }

    private func moved(_ source: any Database, to url: DatabaseURL) async throws {
        let from = MoveEnd(source, url: "sqlite:old", name: "the old one")
        let target = try await onOwnThread { try MoveEnd.target(url, "new") }
        do { _ = try await DatabaseMove(from: from, to: target, schema: movedSchema, batch: 5).run() } catch {
            try await target.close()
            throw error
        }
        try await target.close()
    }

    private func closing(_ database: any Database, _ work: (any Database) async throws -> Void) async throws {
        do { try await work(database) } catch {
            try await database.close()
            throw error
        }
        try await database.close()
    }

    /// Whether it came to its end, or was told of the other.
    private func hasIt(_ work: () async throws -> Void) async throws -> Bool {
        do { try await work() } catch {
            switch error {
            case MoveRefusal.targetNotEmpty, MoveRefusal.disturbed, DatabaseOpenError.unfinishedMove, DatabaseOpenError.lockedByAnotherProcess,
                DatabaseOpenError.heldByAnotherProcess, DatabaseOpenError.beingMoved, DatabaseOpenError.inUseByAnotherName,
                DatabaseOpenError.olderBesideServer(version: 0), SQLError.busy:
                return false
            // A command that makes its first table just now has a journal there, and holds nothing that a move asks for.
            case DatabaseOpenError.cannotOpen(_, let reason) where reason.contains("-journal is not empty, which may hold"): return false
            default: throw error
            }
        }
        return true
    }
}

/// A database whose program is held up once, while something else happens.
private final class HeldDatabase: Database {
    enum Place { case firstTransaction, firstAnswer }

    private let base: any Database
    private let held: Place
    private let meanwhile: Mutex<(@Sendable () async throws -> Void)?>

    /// - Parameter place: before the first transaction that may write, or in it, behind its first answer.
    init(_ base: any Database, at place: Place, _ meanwhile: @Sendable @escaping () async throws -> Void) {
        (self.base, held) = (base, place)
        self.meanwhile = Mutex(meanwhile)
    }

    var dialect: SQLDialect { base.dialect }
    var isShared: Bool { base.isShared }
    var place: String { base.place }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value { try await base.read(body) }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        if held == .firstTransaction, let work = take() { try await work() }
        return try await base.transaction { try body(HeldConnection($0, self)) }
    }

    private func take() -> (@Sendable () async throws -> Void)? {
        meanwhile.withLock { work in
            defer { work = nil }
            return work
        }
    }

    fileprivate func answered() throws {
        if held == .firstAnswer, let work = take() { try blocking(work) }
    }

    func purge() async throws { try await base.purge() }
    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }
    func close() async throws { try await base.close() }
}

private final class HeldConnection: SQLConnection {
    private let base: any SQLConnection
    private let database: HeldDatabase

    init(_ base: any SQLConnection, _ database: HeldDatabase) { (self.base, self.database) = (base, database) }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try base.execute(sql, arguments) }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let rows = try base.query(sql, arguments)
        try database.answered()
        return rows
    }
}
