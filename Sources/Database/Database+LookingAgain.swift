import Synchronization

extension Database {
    /// ``transaction(_:)``, for a body that finds what it did itself: when nobody knows whether it was committed, the body looks again, and what it
    /// answers then counts.
    /// - Parameters:
    ///   - durability: what a power cut may take of it.
    ///   - body: `former` is nil in the first run. In the second it is what the first answered, whether or not that was kept: only rows tell.
    /// - Throws: what ``transaction(_:)`` throws; ``SQLError/outcomeUnknown`` when the second look was lost as well, or refused before it began: what says that
    ///   nothing was begun is true of that look, and not of the first. ``SQLError/commitsUnanswered(standbys:)`` stays, which says why nobody knows.
    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability = .hard, _ body: @Sendable @escaping (any SQLConnection, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let answer = FormerAnswer<Value>()
        do {
            return try await transaction(durability) { connection in answer.keep(try body(connection, nil)) }
        } catch SQLError.outcomeUnknown {
            let (former, second) = (answer.kept, SecondLook())
            do {
                return try await transaction(durability) { connection in
                    second.begin()
                    return try body(connection, former)
                }
            } catch {
                throw second.fault(after: error)
            }
        }
    }
}

/// Whether a body looked again.
private final class SecondLook: Sendable {
    private let hasBegun = Atomic(false)

    func begin() { hasBegun.store(true, ordering: .relaxed) }

    /// What the caller is told, who asked once.
    func fault(after error: any Error) -> any Error {
        guard !hasBegun.load(ordering: .relaxed), SQLError.isOutage(error) else { return error }
        if case SQLError.commitsUnanswered = error { return error }
        return SQLError.outcomeUnknown
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
