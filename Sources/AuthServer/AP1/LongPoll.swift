import Authentication
import HTTPService
import OstiaryProtocol

/// Lets a phone wait for news: until there are some, the time is over, or the server stops (protocol §2: 25 s at most).
struct LongPoll: Sendable {
    let events: any SessionEvents
    let drain: DrainSignal
    /// One second of waiting; less in tests.
    let second: Duration
    let clock: @Sendable () -> Instant

    func answer(_ awaited: Awaited) async throws -> Reply {
        let subscription = events.subscribe(to: awaited.topics)
        switch try await awaited.look() {
        case .news(let reply): return reply
        case .nothing(let reply, let again):
            guard awaited.hold > 0, !drain.isDraining else { return try reply.get() }
            await drain.wait(for: { for await _ in subscription { return } }, atMost: second * Int(awaited.hold))
            return try await again(clock())
        }
    }
}
