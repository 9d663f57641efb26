/// Runs `body`, and gives it up after `limit`: the limits of the client end with the head of an answer, or begin anew with each byte of its body.
/// - Throws: ``TimeLimitPassed``, and what `body` throws.
package func within<Value: Sendable>(_ limit: Duration, _ body: @Sendable @escaping () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw TimeLimitPassed(limit: limit)
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// What had a time limit was not done in it. Whoever set the limit knows what that means.
package struct TimeLimitPassed: Error, Equatable, CustomStringConvertible {
    package let limit: Duration

    package init(limit: Duration) { self.limit = limit }

    package var description: String { "not done in \(limit)" }
}
