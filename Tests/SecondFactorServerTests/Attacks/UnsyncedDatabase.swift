import Database
import Synchronization

/// A database on a file, and the copy of it that a power cut would leave. It can stop before or after any commit, and then forgets what was not
/// on stable storage.
final class UnsyncedDatabase: Database {
    /// When changes reach stable storage.
    enum Sync: Sendable {
        /// Before the caller hears of the commit, as our database does it.
        case everyCommit
        /// When somebody finds the time: not before the crash. A database that this server must never be put on.
        case never
    }

    enum Moment: Sendable, CaseIterable { case beforeCommit, afterCommit }

    /// What every call throws from the crash on.
    struct Crashed: Error {}

    let dialect = SQLDialect.sqlite
    let isShared = false
    private let file: any Database
    private let path: String
    private let durablePath: String
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
        file = try openFile(workingPath)
        path = workingPath
        self.durablePath = durablePath
        self.sync = sync
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
        return try await file.read(body)
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        if hasCrashed { throw Crashed() }
        let moment = nextCrash()
        if moment == .beforeCommit { throw Crashed() }
        let value = try await file.transaction(body)
        if sync == .everyCommit { try copyDatabase(from: path, to: durablePath) }
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
    func settle() throws { try copyDatabase(from: path, to: durablePath) }

    func checkWritable() async throws { try await file.checkWritable() }
    func checkInPlace() async throws { try await file.checkInPlace() }

    func purge() async throws {
        if hasCrashed { throw Crashed() }
        try await file.purge()
    }

    func close() async throws { try await file.close() }
}
