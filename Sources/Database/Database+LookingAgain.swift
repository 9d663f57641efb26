import Synchronization

extension Database {
    /// ``transaction(_:)``, for a body that finds what it did itself: when nobody knows whether it was committed, the body looks again, and what it
    /// answers then counts.
    /// - Parameters:
    ///   - durability: what a power cut may take of it.
    ///   - body: `former` is nil in the first run. In the second it is what the first answered, whether or not that was kept: only rows tell.
    /// - Throws: what ``transaction(_:)`` throws; ``SQLError/outcomeUnknown`` when the second look was lost as well.
    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability = .hard, _ body: @Sendable @escaping (any SQLConnection, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let answer = FormerAnswer<Value>()
        do {
            return try await transaction(durability) { connection in answer.keep(try body(connection, nil)) }
        } catch SQLError.outcomeUnknown {
            let former = answer.kept
            return try await transaction(durability) { connection in try body(connection, former) }
        }
    }
}

/// What a body answered last.
private final class FormerAnswer<Value: Sendable>: Sendable {
    private let last = Mutex<Value?>(nil)

    var kept: Value? { last.withLock { $0 } }

    func keep(_ value: Value) -> Value {
        last.withLock { $0 = value }
        return value
    }
}
