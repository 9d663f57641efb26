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
        /// What was not handed over yet, oldest first, and whether somebody is at it.
        var pending: [Handover] = []
        var isHandingOver = false
    }

    /// An event, nil for the end, and who subscribed before it.
    private struct Handover {
        let event: OstiaryEvent?
        let subscribers: [AsyncStream<OstiaryEvent>.Continuation]
    }

    /// For the one task that makes delegate calls and notifications.
    let deliveries: AsyncStream<OstiaryEvent>
    private let delivery: AsyncStream<OstiaryEvent>.Continuation
    private let state = Mutex(State())

    init() { (deliveries, delivery) = AsyncStream.makeStream(of: OstiaryEvent.self) }

    func emit(_ event: OstiaryEvent) {
        handOver { state in
            if state.backlog != nil {
                state.backlog?.append(event)
                if (state.backlog?.count ?? 0) > Self.longestBacklog { state.backlog?.removeFirst() }
            }
            return Handover(event: event, subscribers: Array(state.subscribers.values))
        }
    }

    /// Every event from now on. The first subscriber that wants it gets what happened before as well.
    func subscribe(replaying: Bool = true) -> AsyncStream<OstiaryEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: OstiaryEvent.self)
        let name = UUID()
        continuation.onTermination = { [weak self] _ in self?.forget(name) }
        let isFinished = state.withLock { state in
            if replaying {
                // Nobody waits for it yet: this wakes no reader.
                for event in state.backlog ?? [] { continuation.yield(event) }
                state.backlog = nil
            }
            guard !state.isFinished else { return true }
            if replaying { state.listeners.insert(name) }
            state.subscribers[name] = continuation
            return false
        }
        if isFinished { continuation.finish() }
        return stream
    }

    func finish() {
        handOver { state in
            state.isFinished = true
            defer { state.subscribers = [:] }
            return Handover(event: nil, subscribers: Array(state.subscribers.values))
        }
    }

    /// Hands over in order, one caller for all who come meanwhile, and with nothing locked: to wake a reader takes a lock of the runtime that is held
    /// while the reader's task is cancelled, and a cancelled reader is forgotten here.
    private func handOver(_ make: (inout State) -> Handover) {
        let isFirst = state.withLock { state in
            state.pending.append(make(&state))
            defer { state.isHandingOver = true }
            return !state.isHandingOver
        }
        guard isFirst else { return }
        while let next = state.withLock({ state -> Handover? in
            guard !state.pending.isEmpty else {
                state.isHandingOver = false
                return nil
            }
            return state.pending.removeFirst()
        }) {
            for continuation in [delivery] + next.subscribers {
                if let event = next.event { continuation.yield(event) } else { continuation.finish() }
            }
        }
    }

    /// Whether the app listens: by a delegate, or to the events.
    var isHeard: Bool {
        // Handed out, because a delegate that nobody else holds any more ends where it is let go, and what it does then may ask here.
        let (delegate, isListenedTo) = state.withLock { ($0.delegate, !$0.listeners.isEmpty) }
        return delegate != nil || isListenedTo
    }

    func setDelegate(_ delegate: (any OstiaryDelegate)?) { state.withLock { $0.delegate = delegate } }

    private func forget(_ name: UUID) {
        state.withLock { state in
            state.subscribers[name] = nil
            state.listeners.remove(name)
        }
    }
}
