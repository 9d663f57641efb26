import Synchronization

/// Tells long polls and event streams that the server is stopping, so that they answer at once instead of holding it up.
///
///     let event = try await drain.value { try await events.next() }   // nil: answer "nothing yet" now
///
///     for await event in drain.stream(events) { … }                   // ends when the server stops
package final class DrainSignal: Sendable {
    private struct State {
        var isDraining = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var isDraining: Bool { state.withLock(\.isDraining) }

    /// From now on the server is stopping.
    package func begin() {
        let waiting = state.withLock { state in
            state.isDraining = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns when the server begins to stop, or when the task is cancelled.
    package func wait() async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isDraining || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
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
