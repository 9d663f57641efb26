import Authentication
import Synchronization

/// Counts what reads.
final class Questions: Sendable {
    private let answered = Mutex(0)

    /// How many were answered since they were taken last.
    var count: Int { answered.withLock { $0 } }

    func take() -> Int {
        answered.withLock { answered in
            defer { answered = 0 }
            return answered
        }
    }

    func note() { answered.withLock { $0 += 1 } }
}

/// A store that counts how often it is asked.
struct QuestionedStore: AuthenticationStore {
    let store: MemoryStore
    let questions: Questions

    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        defer { questions.note() }
        return try await store.read(body)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await store.write(body)
    }
}
