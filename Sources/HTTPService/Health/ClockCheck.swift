import Foundation
import Synchronization

/// Whether the clock is behind what this server has seen: behind the newest time in its database at the start, or behind what the clock itself has shown
/// since. Which of the two clocks was wrong nobody can tell from here, so it is only told.
package final class ClockCheck: ReadinessCheck {
    /// Seconds by which clocks may differ (docs/operations.md, Clocks).
    package static let tolerance: UInt64 = 120

    package let name = "clock"
    private let newest: Mutex<UInt64>
    private let clock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - newest: the newest time in the database, in Unix seconds; nil for none.
    ///   - clock: Unix seconds.
    package init(newest: UInt64?, clock: @Sendable @escaping () -> UInt64) {
        self.newest = Mutex(newest ?? 0)
        self.clock = clock
    }

    package func check() async throws {
        if let seen = seenAhead { throw ClockBehind(newest: seen) }
    }

    package var isBehind: Bool { seenAhead != nil }

    /// What was seen that the clock is behind of now. Every look is noted.
    private var seenAhead: UInt64? {
        let now = clock()
        let seen = newest.withLock { newest in
            newest = max(newest, now)
            return newest
        }
        return seen > now + Self.tolerance ? seen : nil
    }
}

/// The clock shows less than it did, or than the database has.
struct ClockBehind: Error, Equatable, CustomStringConvertible {
    /// Unix seconds.
    let newest: UInt64

    /// The same words as long as it is the same time: they are a line of the log, told once.
    var description: String {
        "the clock is behind \(Date(timeIntervalSince1970: Double(newest)).formatted(.iso8601)), which it or the database has shown: set it. If it ran ahead "
            + "then and is right now, nothing is to be done: this ends at that time, or with a restart in a quarter of an hour"
    }
}
