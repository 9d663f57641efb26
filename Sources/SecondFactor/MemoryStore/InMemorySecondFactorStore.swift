import OstiaryProtocol
import Synchronization

/// The store in memory, for tests of the rules: the same promises as a database for as long as the process lives.
package final class InMemorySecondFactorStore: SecondFactorStore {
    private let state: Mutex<MemoryState>

    package init() { state = Mutex(MemoryState()) }

    /// A backup, and what is restored from it.
    var contents: MemoryState {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value {
        try body(MemoryRows(state.withLock { $0 }))
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try state.withLock { state in
            let rows = MemoryRows(state)
            let value = try body(rows, nil)
            state = rows.state
            return value
        }
    }
}

/// Everything that the store knows: a value, so that a transaction that fails is simply not put back.
struct MemoryState: Sendable {
    var instances: [InstanceID: Instance] = [:]
    var attempts: [AttemptID: AttemptRecord] = [:]
    var pending: [InstanceID: PendingKey] = [:]
    var resets: [ResetRecord] = []
}
