import OstiaryProtocol

/// When something that another server must hear is said: at once, and after each try in vain 2, 4, 8 … seconds later, an hour at most.
package struct RetrySchedule: Equatable, Sendable {
    package let since: Instant
    /// How often it was said in vain.
    package private(set) var attempts: UInt32
    package var dueAt: Instant

    package init(since: Instant, attempts: UInt32, dueAt: Instant) {
        self.since = since
        self.attempts = attempts
        self.dueAt = dueAt
    }

    package init(from now: Instant) { self.init(since: now, attempts: 0, dueAt: now) }

    /// Seconds between two tries.
    static let longestDelay: UInt64 = 3_600

    /// After one more try in vain.
    package mutating func postpone(at now: Instant) {
        attempts += 1
        dueAt = now + min(Self.longestDelay, UInt64(1) << UInt64(min(attempts, 12)))
    }
}
