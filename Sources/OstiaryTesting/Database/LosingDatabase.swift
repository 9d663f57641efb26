import Database
import Synchronization

/// A database whose connection is lost at COMMIT: it commits, or does not, and says that it does not know.
package final class LosingDatabase: Database {
    /// What became of a transaction that nobody heard of again.
    package enum Loss: CaseIterable, Sendable { case kept, gone }

    /// Which transactions are lost.
    package enum Plan: Equatable, Sendable {
        case none
        /// The one that comes in this place, 1 for the next.
        case only(Int, Loss)
        /// Each, but the next one of the same task is not: whoever looks again is answered.
        case each(Loss)
        /// The same, kept or gone by a draw that can be repeated.
        case drawn(UInt64)
        /// All, also of those who look again.
        case all(Loss)
        /// The next one, and the one behind it is refused before its body runs.
        case refusing(Loss, SQLError)
    }

    fileprivate struct State {
        var plan: Plan
        var count = 0
        var losses = 0
        /// The tasks that were told of a loss and have not come again.
        var waiting: Set<Int> = []
    }

    private let base: any Database
    private let tellsChanges: Bool
    private let state: Mutex<State>

    /// - Parameter tellsChanges: whether its rows can be watched; otherwise nobody can answer out of memory what is in them.
    package init(_ base: any Database, _ plan: Plan = .none, tellsChanges: Bool = true) {
        self.base = base
        self.tellsChanges = tellsChanges
        state = Mutex(State(plan: plan))
    }

    /// Begins another plan, and counts from there.
    package func lose(_ plan: Plan) { state.withLock { $0 = State(plan: plan) } }

    /// Transactions since the plan began.
    package var transactions: Int { state.withLock(\.count) }
    /// How many of them were lost.
    package var losses: Int { state.withLock(\.losses) }

    package var dialect: SQLDialect { base.dialect }
    package var isShared: Bool { base.isShared }
    package var announcements: (any Announcements)? { base.announcements }
    package func rows(_ sql: String, _ arguments: [SQLValue]) async throws -> [SQLRow] { try await base.rows(sql, arguments) }
    package var readsAtOnce: Bool { base.readsAtOnce }
    package func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]? { base.rowsAtOnce(sql, arguments) }
    package func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws -> Bool {
        guard tellsChanges else { return false }
        return try await base.watch(rows, by: watcher)
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.read(body)
    }

    @discardableResult
    package func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await transaction(.hard, body)
    }

    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let caller = withUnsafeCurrentTask { $0?.hashValue ?? 0 }
        if let refusal = state.withLock({ $0.refusal() }) { throw refusal }
        guard let loss = state.withLock({ $0.next(of: caller) }) else { return try await base.transaction(durability, body) }
        switch loss {
        case .kept: _ = try await base.transaction(durability, body)
        case .gone:
            do {
                try await base.transaction { connection in
                    _ = try body(connection)
                    throw TakenBack()
                }
            } catch is TakenBack {}
        }
        // A body that threw came to no COMMIT, and is out of here by now.
        state.withLock { $0.lost(by: caller) }
        throw SQLError.outcomeUnknown
    }

    private struct TakenBack: Error {}

    package func purge() async throws { try await base.purge() }
    package func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    package func checkInPlace() async throws { try await base.checkInPlace() }
    package func checkStandby() async throws { try await base.checkStandby() }
    package var refusal: String? { base.refusal }
    package func close() async throws { try await base.close() }
}

extension LosingDatabase.State {
    /// Why the next transaction is not begun.
    fileprivate mutating func refusal() -> SQLError? {
        guard case .refusing(_, let error) = plan, count == 1 else { return nil }
        count += 1
        return error
    }

    /// What becomes of the next transaction, which this task asks for; nil for one that ends well.
    fileprivate mutating func next(of task: Int) -> LosingDatabase.Loss? {
        count += 1
        let looksAgain = waiting.remove(task) != nil
        switch plan {
        case .none: return nil
        case .refusing(let loss, _): return count == 1 ? loss : nil
        case .only(let place, let loss): return count == place ? loss : nil
        case .all(let loss): return loss
        case .each(let loss): return looksAgain ? nil : loss
        case .drawn(let seed): return looksAgain ? nil : drawn(seed)
        }
    }

    fileprivate mutating func lost(by task: Int) {
        losses += 1
        waiting.insert(task)
    }

    /// One step of splitmix64.
    private func drawn(_ seed: UInt64) -> LosingDatabase.Loss {
        var mixed = seed &+ UInt64(count) &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed >> 63 == 0 ? .kept : .gone
    }
}
