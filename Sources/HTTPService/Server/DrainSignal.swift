/// Tells long polls and event streams that the server is stopping, so that they answer at once instead of holding it up.
///
///     let event = try await drain.value { try await events.next() }   // nil: answer "nothing yet" now
///
///     for await event in drain.stream(events) { … }                   // ends when the server stops
package final class DrainSignal: Sendable {
    private let draining = AwaitedValue(false)

    package init() {}

    package var isDraining: Bool { draining.value }

    /// From now on the server is stopping.
    package func begin() { draining.change { $0 = true } }

    /// Returns when the server begins to stop, or when the task is cancelled.
    package func wait() async { await draining.wait { $0 } }

    /// Returns when `something` does, after `limit`, or when the server begins to stop; what still waits is cancelled.
    package func wait(for something: @Sendable @escaping () async -> Void, atMost limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await something() }
            group.addTask { try? await Task.sleep(for: limit) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }

    /// The value of `operation`, or nil if the server begins to stop before there is one; then `operation` is cancelled.
    package func value<Value: Sendable>(_ operation: @Sendable @escaping () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await operation() }
            group.addTask {
                await self.wait()
                return nil
            }
            return try await group.next() ?? nil
        }
    }
}
