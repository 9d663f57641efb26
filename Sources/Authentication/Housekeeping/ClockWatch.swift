import OstiaryProtocol
import Synchronization

/// Notices that the clock was put back: that it ran ahead until then, and that rows may bear moments that are still to come.
///
/// A clock that falls behind for a moment looks the same while it does. So nothing is touched before it has stayed there for a while.
package final class ClockWatch: Sendable {
    /// Seconds for which the clock has to stay behind what it showed before.
    static let patience: UInt64 = 120

    private struct State {
        /// The latest that the clock has shown; nil before the first look, since nobody knows what it showed to the run of the program before.
        var latest: Instant?
        var backSince: Instant?

        /// Whether `now` is behind by more than clocks may differ, or the first look; and since when, from look to look.
        mutating func isBehind(at now: Instant) -> Bool {
            if let latest, latest.seconds(since: now) <= PhoneRequest.window {
                backSince = nil
                return false
            }
            backSince = min(backSince ?? now, now)
            return true
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// The same clock, of which every moment is noted: nothing is written by one that stays unnoticed, however shortly it ran ahead.
    package func noting(_ clock: @Sendable @escaping () -> Instant) -> @Sendable () -> Instant {
        { [self] in
            let now = clock()
            state.withLock { state in
                // The first look is that of `isBack`.
                if let latest = state.latest, now > latest { state.latest = now }
            }
            return now
        }
    }

    /// Whether `now` is behind what the clock has shown by more than clocks may differ: it fell behind, or was put right. Counts as a look of ``isBack(at:)``.
    package func isBehind(at now: Instant) -> Bool {
        state.withLock { $0.isBehind(at: now) && $0.latest != nil }
    }

    /// Whether what lies ahead of `now` is to be brought back now.
    func isBack(at now: Instant) -> Bool {
        state.withLock { state in
            guard state.isBehind(at: now) else {
                state.latest = state.latest.map { max($0, now) }
                return false
            }
            guard let since = state.backSince, now.seconds(since: since) >= Self.patience else { return false }
            state.latest = now
            state.backSince = nil
            return true
        }
    }
}
