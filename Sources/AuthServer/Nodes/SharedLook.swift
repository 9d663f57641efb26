/// A look into the database that many may ask for at once: there is one at a time, and each is answered by one that began after it had asked. So what is
/// found is never older than the question, and made-up names by the thousand cost one question after the other.
actor SharedLook {
    private var current: Task<Void, any Error>?
    /// Has not begun yet.
    private var next: Task<Void, any Error>?

    /// - Parameter body: the same look, whoever asks.
    /// - Throws: what `body` throws.
    func share(_ body: @Sendable @escaping () async throws -> Void) async throws {
        if let next { return try await next.value }
        let former = current
        let task = Task {
            _ = await former?.result
            (current, next) = (next, nil)
            try await body()
        }
        next = task
        try await task.value
    }
}
