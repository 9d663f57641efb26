import Foundation
import OstiaryMobile
import OstiaryProtocol
import OstiaryTesting

/// The one clock of both servers and every phone, which a test moves.
final class FixtureClock: DeviceClock {
    private let clock: TestClock

    init(at moment: UInt64 = UInt64(Date().timeIntervalSince1970)) { clock = TestClock(Instant(moment)) }

    var now: Instant { clock.now }
    var wall: UInt64 { now.seconds }
    var monotonic: UInt64 { now.seconds }

    func advance(_ span: UInt64) { clock.advance(span) }

    /// A pause between two tries is over at once. What is longer, a phone that waits for its next ping, ends when the clock is moved far enough.
    func sleep(seconds span: Double) async {
        let end = wall + UInt64(span)
        repeat { try? await Task.sleep(for: .milliseconds(5)) } while span > 15 && wall < end && !Task.isCancelled
    }
}
