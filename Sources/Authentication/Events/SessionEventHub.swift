import OstiaryProtocol
import Synchronization

/// News within one process.
package final class SessionEventHub: SessionEvents {
    /// News that one slow listener may have before the oldest is dropped.
    private static let backlog = 32

    private struct State {
        var next: UInt64 = 0
        var listeners: [EventTopic: [UInt64: AsyncStream<SessionNews>.Continuation]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func publish(_ news: SessionNews) {
        let listeners = state.withLock { state in
            // Who listens to two of the topics hears it once.
            var found: [UInt64: AsyncStream<SessionNews>.Continuation] = [:]
            for topic in news.topics { found.merge(state.listeners[topic] ?? [:]) { first, _ in first } }
            return found
        }
        for listener in listeners.values { listener.yield(news) }
    }

    /// Has everybody look again, whatever they wait for.
    package func tellMissed() {
        let listeners = state.withLock { state in
            var all: [UInt64: AsyncStream<SessionNews>.Continuation] = [:]
            for found in state.listeners.values { all.merge(found) { first, _ in first } }
            return all
        }
        for listener in listeners.values { listener.yield(SessionNews(.missed, topics: [])) }
    }

    package func subscribe(to topics: [EventTopic]) -> AsyncStream<SessionNews> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionNews.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let id = state.withLock { state in
            state.next += 1
            for topic in topics { state.listeners[topic, default: [:]][state.next] = continuation }
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.unsubscribe(id, from: topics) }
        return stream
    }

    /// How many listeners there are, for the operator and for tests that look for leaks.
    package var listenerCount: Int {
        state.withLock { state in Set(state.listeners.values.flatMap(\.keys)).count }
    }

    private func unsubscribe(_ id: UInt64, from topics: [EventTopic]) {
        state.withLock { state in
            for topic in topics {
                state.listeners[topic]?[id] = nil
                if state.listeners[topic]?.isEmpty == true { state.listeners[topic] = nil }
            }
        }
    }
}
