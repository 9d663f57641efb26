import OstiaryProtocol
import Synchronization

/// The span of this server's clock, for all who ask at once, and whether what was written ahead of it was brought back.
///
/// A clock that falls behind for a moment looks like one that was put right. So nothing is brought back before it has gone on for a while: what a clock
/// ordered that was right all the time is then found as it was.
package final class LeapWatch: Sendable {
    /// Seconds for which the clock has to go on before rows are rewritten by it.
    package static let patience: UInt64 = 120

    private struct State {
        var span = SteadySpan()
        /// The number of the newest span in which everything was brought back.
        var broughtBack: UInt64 = 0
    }

    private let state = Mutex(State())
    private let steady: (@Sendable () -> UInt64)?

    /// - Parameter steady: seconds of a clock that nobody sets and that goes on while the machine sleeps; nil where there is none.
    package init(steady: (@Sendable () -> UInt64)? = nil) { self.steady = steady }

    /// Seconds for which the clock, which shows `now`, has gone on without a leap.
    @discardableResult
    package func note(_ now: Instant) -> UInt64 {
        let seconds = steady?() ?? now.seconds
        return state.withLock { $0.span.note(now, steady: seconds) }
    }

    /// The same clock, of which every moment is noted.
    package func noting(_ clock: @Sendable @escaping () -> Instant) -> @Sendable () -> Instant {
        { [self] in
            let now = clock()
            note(now)
            return now
        }
    }

    /// What is to be brought back now: the number of the span, and its seconds; nil for nothing.
    func due(at now: Instant) -> (span: UInt64, seconds: UInt64)? {
        let seconds = note(now)
        return state.withLock { state in
            seconds >= Self.patience && state.broughtBack < state.span.number ? (state.span.number, seconds) : nil
        }
    }

    func noteDone(_ span: UInt64) { state.withLock { $0.broughtBack = max($0.broughtBack, span) } }
}
