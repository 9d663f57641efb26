import Database
import Synchronization

/// The process was ended.
struct Killed: Error, Equatable {}

/// A database of a process that is ended at one point: from there on nothing is done any more. It counts the rows that were inserted for good.
final class DyingDatabase: Database {
    enum Death: Equatable, Sendable {
        case never
        /// Instead of the statement in this place, of those that may write.
        case statement(Int)
        /// At the commit in this place, before or behind it.
        case commit(Int, isKept: Bool)
    }

    fileprivate struct State {
        var (statements, commits, moved) = (0, 0, 0)
        var isDead = false
    }

    private let base: any Database
    private let death: Death
    fileprivate let state = Mutex(State())

    init(_ base: any Database, _ death: Death) { (self.base, self.death) = (base, death) }

    var hasDied: Bool { state.withLock(\.isDead) }
    var commits: Int { state.withLock(\.commits) }
    /// Rows of tables that are moved, which were committed.
    var moved: Int { state.withLock(\.moved) }

    var dialect: SQLDialect { base.dialect }
    var isShared: Bool { base.isShared }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        guard !hasDied else { throw Killed() }
        return try await base.read(body)
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        let place = try state.withLock { state throws(Killed) in
            guard !state.isDead else { throw Killed() }
            state.commits += 1
            return state.commits
        }
        let (value, moved) = try await base.transaction { connection in
            let own = DyingConnection(connection, self)
            let value = try body(own)
            if self.death == .commit(place, isKept: false) { try self.die() }
            return (value, own.moved)
        }
        state.withLock { $0.moved += moved }
        if death == .commit(place, isKept: true) { try die() }
        return value
    }

    private func die() throws(Killed) {
        state.withLock { $0.isDead = true }
        throw Killed()
    }

    fileprivate func beginStatement() throws(Killed) {
        let place = state.withLock { state in
            state.statements += 1
            return state.statements
        }
        if hasDied { throw Killed() }
        if death == .statement(place) { try die() }
    }

    func purge() async throws { try await base.purge() }
    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }
    func close() async throws { try await base.close() }
}

private final class DyingConnection: SQLConnection {
    private let base: any SQLConnection
    private let database: DyingDatabase
    private(set) var moved = 0

    init(_ base: any SQLConnection, _ database: DyingDatabase) { (self.base, self.database) = (base, database) }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        try database.beginStatement()
        let count = try base.execute(sql, arguments)
        // Names in quotes are those of a move.
        if sql.hasPrefix("INSERT INTO \"") { moved += count }
        return count
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        try database.beginStatement()
        return try base.query(sql, arguments)
    }
}
