import Authentication
import HTTPService
import OstiaryProtocol

/// Lets a phone wait for news: until there are some, the time is over, or the server stops (protocol §2: 25 s at most).
struct LongPoll: Sendable {
    let drain: DrainSignal
    /// One second of waiting; less in tests.
    let second: Duration

    /// Asks once more after a wait if the first answer is no news. The subscription must be older than the first answer, so that nothing that happens
    /// between the two is missed.
    func answer<Value: Sendable>(
        _ first: Value, isNews: Bool, hold: UInt8, subscription: AsyncStream<SessionNews>, again: @Sendable @escaping () async throws -> Value
    ) async throws -> Value {
        guard hold > 0, !isNews, !drain.isDraining else { return first }
        await wait(for: subscription, seconds: hold)
        return try await again()
    }

    private func wait(for subscription: AsyncStream<SessionNews>, seconds: UInt8) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in subscription { return } }
            group.addTask { try? await Task.sleep(for: second * Int(seconds)) }
            group.addTask { await drain.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
