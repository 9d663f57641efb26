import Authentication
import Synchronization

/// Counts what reads.
final class Questions: Sendable {
    private let count = Mutex(0)

    /// How many since the last look.
    func take() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    func note() { count.withLock { $0 += 1 } }
}

/// A store that counts how often it is asked.
struct QuestionedStore: AuthenticationStore {
    let store: MemoryStore
    let questions: Questions

    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        questions.note()
        return try await store.read(body)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await store.write(body)
    }
}
