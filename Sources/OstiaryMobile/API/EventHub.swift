import Foundation
import Synchronization

/// Spreads events: to each subscriber in full, and to the one task that makes delegate calls and notifications of them.
final class EventHub: Sendable {
    /// How many events are kept for the first subscriber; beyond that the oldest go.
    private static let longestBacklog = 1_024

    private struct State {
        var backlog: [OstiaryEvent]? = []
        var subscribers: [UUID: AsyncStream<OstiaryEvent>.Continuation] = [:]
        /// The subscribers that are the app's own, not those of a call that waits.
        var listeners: Set<UUID> = []
        weak var delegate: (any OstiaryDelegate)?
        var isFinished = false
    }

    /// For the one task that makes delegate calls and notifications.
    let deliveries: AsyncStream<OstiaryEvent>
    private let delivery: AsyncStream<OstiaryEvent>.Continuation
    private let state = Mutex(State())

    init() { (deliveries, delivery) = AsyncStream.makeStream(of: OstiaryEvent.self) }

    func emit(_ event: OstiaryEvent) {
        state.withLock { state in
            delivery.yield(event)
            for subscriber in state.subscribers.values { subscriber.yield(event) }
            guard state.backlog != nil else { return }
            state.backlog?.append(event)
            if (state.backlog?.count ?? 0) > Self.longestBacklog { state.backlog?.removeFirst() }
        }
    }

    /// Every event from now on. The first subscriber that wants it gets what happened before as well.
    func subscribe(replaying: Bool = true) -> AsyncStream<OstiaryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OstiaryEvent.self)
        let name = UUID()
        continuation.onTermination = { [weak self] _ in self?.forget(name) }
        state.withLock { state in
            if replaying {
                for event in state.backlog ?? [] { continuation.yield(event) }
                state.backlog = nil
            }
            if replaying { state.listeners.insert(name) }
            if state.isFinished { continuation.finish() } else { state.subscribers[name] = continuation }
        }
        return stream
    }

    func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
        delivery.finish()
    }

    /// Whether the app listens: by a delegate, or to the events.
    var isHeard: Bool { state.withLock { $0.delegate != nil || !$0.listeners.isEmpty } }

    func setDelegate(_ delegate: (any OstiaryDelegate)?) { state.withLock { $0.delegate = delegate } }

    private func forget(_ name: UUID) {
        state.withLock { state in
            state.subscribers[name] = nil
            state.listeners.remove(name)
        }
    }
}
