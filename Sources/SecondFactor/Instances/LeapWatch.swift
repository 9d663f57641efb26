import OstiaryProtocol
import Synchronization

/// The span of this server's clock, for all who ask at once, and whether what was written ahead of it was brought back.
///
/// Where the clock shows no less than it ever did, and than rows bore at the start, nothing lies ahead, and nobody looks for it.
///
/// A clock that falls behind for a moment looks like one that was put right. So nothing is brought back before it has gone on for a while: what a clock
/// ordered that was right all the time is then found as it was.
package final class LeapWatch: Sendable {
    /// Seconds for which the clock has to go on before rows are rewritten by it.
    package static let patience: UInt64 = 120

    /// What is to be brought back.
    struct Due: Equatable {
        /// The number of the span, and its seconds.
        let span, seconds: UInt64
        /// The last instance that was looked at in this span; nil for none.
        let place: InstanceID?
    }

    private struct State {
        var span = SteadySpan()
        /// The number of the newest span in which everything was brought back.
        var broughtBack: UInt64 = 0
        /// The newest moment that rows of before this span bear; nil where nobody knows.
        var newest: Instant?
        /// The latest that the clock has shown in this span.
        var shown = Instant(0)
        var place: InstanceID?

        mutating func note(_ now: Instant, steady: UInt64) -> UInt64 {
            let former = span.number
            let seconds = span.note(now, steady: steady)
            if span.number > former {
                // What was written until now bears no later moment than the clock has shown.
                newest = newest.map { max($0, shown) }
                (shown, place) = (Instant(0), nil)
            }
            shown = max(shown, now)
            return seconds
        }

        /// Whether a row may bear a moment that is another clock's. Of this span none does.
        func mayBeAhead(of now: Instant) -> Bool { newest.map { $0 > now + Times.clockSlack } ?? true }
    }

    private let state: Mutex<State>
    private let steady: (@Sendable () -> UInt64)?

    /// - Parameters:
    ///   - newest: the newest moment that rows bear at the start, 0 for none; nil where nobody has looked, which has all of them looked at.
    ///   - steady: seconds of a clock that nobody sets and that goes on while the machine sleeps; nil where there is none.
    package init(newest: Instant? = nil, steady: (@Sendable () -> UInt64)? = nil) {
        state = Mutex(State(newest: newest))
        self.steady = steady
    }

    /// Seconds for which the clock, which shows `now`, has gone on without a leap.
    @discardableResult
    package func note(_ now: Instant) -> UInt64 {
        let seconds = steady?() ?? now.seconds
        return state.withLock { $0.note(now, steady: seconds) }
    }

    /// The same clock, of which every moment is noted.
    package func noting(_ clock: @Sendable @escaping () -> Instant) -> @Sendable () -> Instant {
        { [self] in
            let now = clock()
            note(now)
            return now
        }
    }

    /// What is to be brought back now; nil for nothing.
    func due(at now: Instant) -> Due? {
        let steady = steady?() ?? now.seconds
        return state.withLock { state in
            let seconds = state.note(now, steady: steady)
            guard seconds >= Self.patience, state.broughtBack < state.span.number, state.mayBeAhead(of: now) else { return nil }
            return Due(span: state.span.number, seconds: seconds, place: state.place)
        }
    }

    /// Instances were looked at up to `place`; nil for all of them. In a span that is over it counts for nothing.
    func noteLooked(upTo place: InstanceID?, in span: UInt64) {
        state.withLock { state in
            guard state.span.number == span else { return }
            state.place = place
            if place == nil { (state.broughtBack, state.newest) = (span, Instant(0)) }
        }
    }
}
