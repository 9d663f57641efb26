/// Runs `body`, and gives it up after `limit`.
/// - Throws: ``SecondFactorTrouble/timeout``, and what `body` throws.
func within<Value: Sendable>(_ limit: Duration, _ body: @Sendable @escaping () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw SecondFactorTrouble.timeout
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
