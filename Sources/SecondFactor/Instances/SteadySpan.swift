import OstiaryProtocol
import Synchronization

/// The time for which a clock has gone on without a leap, told by a second clock that nobody sets.
///
/// What was written by a clock that ran ahead is measured from the beginning of this span on (``Counter/settled(at:steadyFor:)``): that is when the clock
/// was put right, whoever asks, and however late.
package struct SteadySpan: Sendable {
    /// Seconds that are no leap: half of what a moment may lie ahead before it counts as another clock's, so that no two moments of one span are that far
    /// apart.
    private static let slack = Times.clockSlack / 2

    private struct Beginning {
        let wall: Instant
        let steady: UInt64
    }

    private var beginning: Beginning?
    private var latest: UInt64 = 0
    /// How many began so far.
    package private(set) var number: UInt64 = 0

    package init() {}

    /// Takes note of what both clocks show now; a leap begins a new span.
    /// - Parameter steady: seconds of the second clock. Where there is none it is the first one itself, of which only a fall shows.
    /// - Returns: seconds since the span began: since the last leap, or since the first look.
    package mutating func note(_ now: Instant, steady: UInt64) -> UInt64 {
        guard let beginning, steady + Self.slack >= latest else { return begin(now, steady) }
        let passed = steady > beginning.steady ? steady - beginning.steady : 0
        guard now.distance(to: beginning.wall + passed) <= Self.slack else { return begin(now, steady) }
        latest = max(latest, steady)
        return passed
    }

    private mutating func begin(_ now: Instant, _ steady: UInt64) -> UInt64 {
        (beginning, latest) = (Beginning(wall: now, steady: steady), steady)
        number += 1
        return 0
    }
}
