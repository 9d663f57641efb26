import Synchronization

/// Which steps of the tour the visitor has done, whichever the page shows.
final class TourProgress: Sendable {
    private struct State {
        var done: Set<TourStep> = []
        var listeners: [Int: AsyncStream<[TourStep]>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// In the order of the tour.
    var done: [TourStep] { state.withLock { Self.sorted($0.done) } }

    func note(_ steps: Set<TourStep>) {
        let change = state.withLock { state -> (done: [TourStep], listeners: [AsyncStream<[TourStep]>.Continuation])? in
            guard !steps.isSubset(of: state.done) else { return nil }
            state.done.formUnion(steps)
            return (Self.sorted(state.done), Array(state.listeners.values))
        }
        guard let change else { return }
        for listener in change.listeners { listener.yield(change.done) }
    }

    /// What is done, now and whenever something is added.
    var changes: AsyncStream<[TourStep]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [TourStep].self)
        let id = state.withLock { state in
            continuation.yield(Self.sorted(state.done))
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    private func forget(_ listener: Int) { state.withLock { $0.listeners[listener] = nil } }

    private static func sorted(_ steps: Set<TourStep>) -> [TourStep] { TourStep.allCases.filter(steps.contains) }
}
