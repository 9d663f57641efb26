import Synchronization

/// The one clock of all streams of a node: it wakes each of them once in five ticks, a fifth of them at each tick, so that they do not all look into
/// the store at once. It stands while nobody listens.
package final class PageTicker: Sendable {
    /// Ticks, which are seconds, from one waking of a stream to its next.
    static let period = 5

    private struct State {
        var slots = [[UInt64: @Sendable () -> Void]](repeating: [:], count: period)
        /// The slot that was woken last, and whose turn comes last.
        var current = 0
        var count = 0
        var newest: UInt64 = 0
        var task: Task<Void, Never>?
    }

    private let interval: Duration
    private let state = Mutex(State())

    /// - Parameter interval: one tick: a second, less in tests.
    package init(every interval: Duration) { self.interval = interval }

    deinit { state.withLock(\.task)?.cancel() }

    /// Calls `body`, which must be quick, once in a period until the value that is answered ends.
    func wake(_ body: @Sendable @escaping () -> Void) -> Waking {
        state.withLock { state in
            state.newest += 1
            state.count += 1
            state.slots[state.current][state.newest] = body
            if state.task == nil { state.task = running() }
            return Waking(ticker: self, slot: state.current, number: state.newest)
        }
    }

    private func running() -> Task<Void, Never> {
        Task { [interval, weak self] in
            while (try? await Task.sleep(for: interval)) != nil { self?.tick() }
        }
    }

    /// One tick; by itself it comes once in an interval.
    func tick() {
        let due = state.withLock { state in
            state.current = (state.current + 1) % Self.period
            return Array(state.slots[state.current].values)
        }
        for body in due { body() }
    }

    private func end(_ number: UInt64, in slot: Int) {
        state.withLock { state in
            guard state.slots[slot].removeValue(forKey: number) != nil else { return }
            state.count -= 1
            guard state.count == 0 else { return }
            state.task?.cancel()
            state.task = nil
        }
    }

    /// How many streams it wakes, for tests that look for leaks; none of them keeps it running.
    package var count: Int { state.withLock(\.count) }

    /// One stream that is woken.
    struct Waking: Sendable {
        fileprivate let ticker: PageTicker
        fileprivate let slot: Int
        fileprivate let number: UInt64

        func end() { ticker.end(number, in: slot) }
    }
}
