import Database
import OstiaryTesting
import Synchronization

/// A database on a file, and the copy of it that a power cut would leave; or one of PostgreSQL, which keeps what it has committed whatever becomes of us.
/// It can stop before or after any commit, and then forgets what was not on stable storage.
final class UnsyncedDatabase: Database {
    /// When changes reach stable storage.
    enum Sync: Sendable {
        /// Before the caller hears of the commit, as our database does it; a soft one with the next that is none.
        case everyCommit
        /// When somebody finds the time: not before the crash. A database that this server must never be put on.
        case never
    }

    enum Moment: Sendable, CaseIterable { case beforeCommit, afterCommit }

    /// What every call throws from the crash on.
    struct Crashed: Error {}

    var dialect: SQLDialect { base.dialect }
    var isShared: Bool { base.isShared }
    private let base: any Database
    /// The file that is worked on, and what survives of it; nil where that is not ours.
    private let files: (working: String, durable: String)?
    private let sync: Sync
    private let state: Mutex<State>

    private struct State {
        var commitsLeft: Int?
        var moment = Moment.beforeCommit
        var hasCrashed = false
    }

    /// Opens what survived under `durablePath`, working on a copy.
    init(durablePath: String, workingPath: String, sync: Sync = .everyCommit) throws {
        try copyDatabase(from: durablePath, to: workingPath)
        base = try openFile(workingPath)
        files = (workingPath, durablePath)
        self.sync = sync
        state = Mutex(State())
    }

    /// Goes on with what a server of PostgreSQL has.
    init(over database: PostgreSQLDatabase) {
        (base, files, sync) = (database, nil, .everyCommit)
        state = Mutex(State())
    }

    /// The `commit`-th transaction from now on, 1 for the next, does not end well.
    func crash(atCommit commit: Int, _ moment: Moment) {
        state.withLock {
            $0.commitsLeft = commit
            $0.moment = moment
        }
    }

    var hasCrashed: Bool { state.withLock(\.hasCrashed) }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        if hasCrashed { throw Crashed() }
        return try await base.read(body)
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await transaction(.hard, body)
    }

    @discardableResult
    func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        if hasCrashed { throw Crashed() }
        let moment = nextCrash()
        if moment == .beforeCommit { throw Crashed() }
        let value = try await base.transaction(durability, body)
        if sync == .everyCommit, durability == .hard { try settle() }
        if moment == .afterCommit { throw Crashed() }
        return value
    }

    /// Counts one commit; the moment of the crash if this is the one.
    private func nextCrash() -> Moment? {
        state.withLock { state in
            guard let left = state.commitsLeft else { return nil }
            state.commitsLeft = left - 1
            guard left == 1 else { return nil }
            state.hasCrashed = true
            return state.moment
        }
    }

    /// Saves what is there now, as a clean shutdown would.
    func settle() throws {
        if let files { try copyDatabase(from: files.working, to: files.durable) }
    }

    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }

    func purge() async throws {
        if hasCrashed { throw Crashed() }
        try await base.purge()
    }

    func close() async throws { try await base.close() }
}

/// A crash of a server: on which engine, at which commit, on which side of it.
struct Crash: Sendable, CustomStringConvertible {
    let engine: DatabaseEngine
    let commit: Int
    let moment: UnsyncedDatabase.Moment

    var description: String { "\(engine), commit \(commit), \(moment)" }

    /// At each of these commits, on each engine.
    static func all(_ commits: ClosedRange<Int>) -> [Crash] {
        DatabaseEngine.allCases.flatMap { engine in
            commits.flatMap { commit in UnsyncedDatabase.Moment.allCases.map { Crash(engine: engine, commit: commit, moment: $0) } }
        }
    }
}

/// What outlives the crashes of a server, for one life after the other.
final class CrashGround: Sendable {
    private let folder: TemporaryFolder
    private let postgresql: (cluster: PostgreSQLCluster, name: String)?

    init(_ engine: DatabaseEngine) async throws {
        folder = try TemporaryFolder()
        switch engine {
        case .sqlite: postgresql = nil
        case .postgresql: postgresql = (try await PostgreSQLCluster.shared, try await SchemaTemplate.secondFactor.makePostgreSQL())
        }
    }

    deinit {
        if let postgresql { postgresql.cluster.leave(postgresql.name) }
    }

    /// The database as it is found by the next life.
    func open(_ life: String, sync: UnsyncedDatabase.Sync = .everyCommit) async throws -> UnsyncedDatabase {
        if let postgresql { return UnsyncedDatabase(over: try await postgresql.cluster.open(postgresql.name)) }
        return try UnsyncedDatabase(durablePath: folder.file("durable.sqlite"), workingPath: folder.file("\(life).sqlite"), sync: sync)
    }
}
