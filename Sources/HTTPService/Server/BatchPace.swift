import Synchronization

/// How work in the background that is done in batches leaves the database to others (docs/decisions/0059). Whoever writes waits behind one batch at most
/// anyway: both engines take writers in the order in which they came. Beyond that each batch is followed by a rest for as long as it took, in which nobody
/// waits for it at all. While there is always more to be done the rests get shorter, so that the work keeps up wherever the machine can.
package final class BatchPace: Sendable {
    /// No rest is longer: a batch that took longer waited for its own turn, since much is asked, and just then there is most to be done. One of 200 sessions
    /// held the writer of a small machine for 15 to 40 ms (`make growth`).
    package static let longest: Duration = .milliseconds(25)

    private struct State {
        /// When the batch began that is under way.
        var begun: Duration
        /// Of which part of itself a rest is left.
        var part = 1
    }

    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<State>

    /// The first batch begins now.
    /// - Parameters:
    ///   - elapsed: how long it is since some moment, by a clock that nobody sets.
    ///   - sleep: ends after so long, or by throwing when the task is cancelled.
    package init(elapsed: @Sendable @escaping () -> Duration, sleep: @Sendable @escaping (Duration) async throws -> Void) {
        self.elapsed = elapsed
        self.sleep = sleep
        state = Mutex(State(begun: elapsed()))
    }

    /// By the clock of this machine.
    package convenience init() {
        let origin = ContinuousClock.now
        self.init(elapsed: { ContinuousClock.now - origin }, sleep: { try await Task.sleep(for: $0) })
    }

    /// Between two batches: the next one begins when this returns.
    /// - Throws: `CancellationError` when the server stops.
    package func rest() async throws {
        try Task.checkCancellation()
        let now = elapsed()
        let rest = state.withLock { min(max(now - $0.begun, .zero), Self.longest) / $0.part }
        try await sleep(rest)
        let next = elapsed()
        state.withLock { $0.begun = next }
    }

    /// There is more after so many batches: from now on a half of each rest, then a third, and so on.
    package func hurry() { state.withLock { $0.part += 1 } }
}
