import OstiaryProtocol
import Synchronization

/// A clock that stands still until a test moves it.
package final class TestClock: Sendable {
    private let moment: Mutex<Instant>

    package init(_ start: Instant = Instant(1_800_000_000)) { moment = Mutex(start) }

    package var now: Instant { moment.withLock { $0 } }

    package func advance(_ seconds: UInt64) { moment.withLock { $0 = $0 + seconds } }
    package func setBack(_ seconds: UInt64) { moment.withLock { $0 = $0 - seconds } }

    /// Moves it forth or back.
    package func jump(_ seconds: Int64) { seconds < 0 ? setBack(seconds.magnitude) : advance(seconds.magnitude) }
}
