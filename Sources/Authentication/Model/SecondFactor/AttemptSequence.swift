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
    /// The attempt whose evaluation was given out last, with its number: only this one may be given out again.
    package private(set) var relayed: RelayedAttempt?

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

    package struct RelayedAttempt: Equatable, Hashable, Sendable {
        package let attempt: AttemptID
        package let number: UInt64

        package init(attempt: AttemptID, number: UInt64) {
            self.attempt = attempt
            self.number = number
        }
    }

    package init(last: UInt64 = 0, open: OpenAttempt? = nil, relayed: RelayedAttempt? = nil) {
        self.last = last
        self.open = open
        self.relayed = relayed
    }

    /// The number under which the evaluation of this attempt was given out, if none was since.
    func number(of attempt: AttemptID) -> UInt64? { relayed.flatMap { $0.attempt == attempt ? $0.number : nil } }

    /// The number for the ticket of this attempt, which is the open one from now on.
    /// - Throws: `attemptOpen` while another waits for its answer.
    package mutating func reserve(_ attempt: AttemptID, blindedHash: [UInt8], at now: Instant) throws(Refusal) -> UInt64 {
        if let open, open.attempt != attempt, now.distance(to: open.since) < Self.patience { throw .attemptOpen }
        open = OpenAttempt(attempt: attempt, blindedHash: blindedHash, since: now)
        return last + 1
    }

    /// Takes the answer to an attempt, which counts up to `highest`; for an attempt that was evaluated that is its own number.
    ///
    /// An evaluation is given out under a number that nothing was given out under before, or once more for the attempt that had it. Without this a
    /// second-factor server that was restored could count one number twice (docs/protocol/second-factor, rule 4).
    /// - Returns: whether the answer may be relayed. The sequence is to be committed first, and also when it may not.
    /// - Throws: `attemptReplaced` when another attempt holds the number meanwhile: the answer is dropped.
    package mutating func settle(_ attempt: AttemptID, highest: UInt64, evaluated: Bool) throws(Refusal) -> Bool {
        guard open?.attempt == attempt else { throw .attemptReplaced }
        guard highest < Self.limit else { throw .secondFactorUnavailable }
        let isNew = highest > last
        last = max(last, highest)
        open = nil
        guard evaluated else { return true }
        let answered = RelayedAttempt(attempt: attempt, number: highest)
        guard isNew || relayed == answered else { return false }
        relayed = answered
        return true
    }

    /// Whether the answer to an attempt was taken, and nothing was given out since: for whoever does not know whether that was kept.
    /// - Parameter former: how the answer left the sequence.
    func hasSettled(_ attempt: AttemptID, as former: AttemptSequence) -> Bool {
        open?.attempt != attempt && last >= former.last && relayed == former.relayed
    }
}
