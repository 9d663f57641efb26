/// Runs `body`, and gives it up after `limit`.
/// - Throws: ``SecondFactorTrouble/timeout``, and what `body` throws.
func within(_ limit: Duration, _ body: @Sendable @escaping () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw SecondFactorTrouble.timeout
        }
        try await group.next()
    }
}
