import OstiaryProtocol

/// The authentication server's half of counting (protocol §7): which numbers are used up, and which attempt may use the next one.
///
/// A number is used up only when the second-factor server's answer to it is committed here, and only one attempt at a time holds the next
/// number. So an answer that was relayed is always one that this side knows to be counted, and a restored database on one side is caught up by
/// the other.
package struct AttemptSequence: Equatable, Hashable, Sendable {
    /// Seconds after which an attempt that got no answer gives way to another.
    package static let patience: UInt64 = 10
    /// No number reaches this (protocol §7); a second-factor server that names a higher one is not believed.
    package static let limit: UInt64 = 1 << 62

    /// The last number whose answer is committed.
    package private(set) var last: UInt64
    package private(set) var open: OpenAttempt?

    package struct OpenAttempt: Equatable, Hashable, Sendable {
        package let attempt: AttemptID
        package let blindedHash: [UInt8]
        package let since: Instant

        package init(attempt: AttemptID, blindedHash: [UInt8], since: Instant) {
            self.attempt = attempt
            self.blindedHash = blindedHash
            self.since = since
        }
    }

    package init(last: UInt64 = 0, open: OpenAttempt? = nil) {
        self.last = last
        self.open = open
    }

    /// The number for the ticket of this attempt, which is the open one from now on.
    /// - Throws: `attemptOpen` while another waits for its answer.
    package mutating func reserve(_ attempt: AttemptID, blindedHash: [UInt8], at now: Instant) throws(Refusal) -> UInt64 {
        if let open, open.attempt != attempt, now.seconds(since: open.since) < Self.patience { throw .attemptOpen }
        open = OpenAttempt(attempt: attempt, blindedHash: blindedHash, since: now)
        return last + 1
    }

    /// Takes the answer to an attempt, whose highest counted number is `highest`. Only then may it be relayed.
    /// - Throws: `attemptReplaced` when another attempt holds the number meanwhile: the answer is dropped.
    package mutating func settle(_ attempt: AttemptID, highest: UInt64) throws(Refusal) {
        guard open?.attempt == attempt else { throw .attemptReplaced }
        guard highest < Self.limit else { throw .secondFactorUnavailable }
        last = max(last, highest)
        open = nil
    }
}
