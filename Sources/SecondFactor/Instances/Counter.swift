import OstiaryProtocol

/// The two numbers that bound guessing, and the wait between tries (protocol §7). Failed tries are `highest - proven`.
///
/// `highest` never goes back, `proven` moves only by a proof, by a receipt that we signed, or by a reset.
package struct Counter: Hashable, Sendable {
    /// No number reaches this, so no sum of two can overflow.
    package static let limit: UInt64 = 1 << 62

    /// `hi`: the highest sequence number that was counted.
    package private(set) var highest: UInt64
    /// `ok`: the sequence number of the newest success.
    package private(set) var proven: UInt64
    /// `pinOk`: the same for successes by PIN; a reset does not move it.
    package private(set) var provenByPIN: UInt64
    /// No try before this moment.
    package private(set) var penaltyUntil: Instant
    /// The latest moment of a change; a clock that is set back does not shorten a penalty (``settled(at:steadyFor:)``).
    package private(set) var lastSeen: Instant

    /// A counter that has counted nothing.
    package init(at now: Instant) {
        highest = 0
        proven = 0
        provenByPIN = 0
        penaltyUntil = Instant(0)
        lastSeen = now
    }

    /// A stored counter; nil unless `provenByPIN <= proven <= highest < limit`.
    package init?(highest: UInt64, proven: UInt64, provenByPIN: UInt64, penaltyUntil: Instant, lastSeen: Instant) {
        guard provenByPIN <= proven, proven <= highest, highest < Self.limit else { return nil }
        self.highest = highest
        self.proven = proven
        self.provenByPIN = provenByPIN
        self.penaltyUntil = penaltyUntil
        self.lastSeen = lastSeen
    }

    package var failed: UInt64 { highest - proven }

    /// Whether no try is left: what a reset lifts.
    func isUsedUp(under policy: Policy) -> Bool { failed >= UInt64(policy.maxAttempts) }

    /// What becomes of one more try.
    package enum Admission: Equatable, Sendable {
        /// Counted: to be made durable before anything is evaluated.
        case counted(Counter)
        /// SEQ: the number is not above the highest one.
        case behind
        case blocked
        /// Seconds left to wait.
        case penalised(wait: UInt64)
        /// A number at or above ``limit``.
        case outOfRange
    }

    /// The counter by a clock that was put right. Far ahead of `now`, `lastSeen` was written by a clock that ran ahead: what was left of a penalty
    /// then is left from when it was put right, so that it neither lasts until that clock is reached, nor begins anew for who asks late, nor is forgiven.
    /// A refusal does not keep it: a clock that only fell behind for a while finds what it ordered as it ordered it.
    /// - Parameter seconds: for which the clock has gone on without a leap.
    package func settled(at now: Instant, steadyFor seconds: UInt64 = 0) -> Counter {
        guard lastSeen.seconds(since: now) > Times.clockSlack else { return self }
        let left = penaltyUntil.seconds(since: lastSeen)
        var counter = self
        counter.penaltyUntil = min(penaltyUntil, now + (left - min(left, seconds)))
        counter.lastSeen = now
        return counter
    }

    /// The counter after a try that was refused for want of tries: the numbers before it are used up, whatever these rows had forgotten. So a reset,
    /// which gives back what is counted, gives back those too. Nil beyond the lifetime, where no reset helps. Call it on a repaired counter.
    package func noting(refused sequence: UInt64, under policy: Policy) -> Counter? {
        guard sequence > highest, sequence < Self.limit, sequence - 1 - provenByPIN < policy.lifetimeWithoutPIN else { return nil }
        var counter = self
        counter.highest = sequence - 1
        return counter
    }

    /// What a receipt of ours proves although these rows may be older: a restored database catches up with it (protocol §7).
    package func repaired(by receipt: ReceiptFacts?) -> Counter {
        guard let receipt, receipt.sequence < Self.limit else { return self }
        var counter = self
        counter.proven = max(proven, receipt.sequence)
        counter.provenByPIN = max(provenByPIN, receipt.pinSequence)
        counter.highest = max(highest, counter.proven)
        return counter
    }

    /// Counts the try `sequence`, or says why not; then nothing changes. Call it on a repaired counter.
    package func admit(_ sequence: UInt64, at now: Instant, under policy: Policy) -> Admission {
        guard sequence < Self.limit else { return .outOfRange }
        guard sequence > highest else { return .behind }
        let failed = sequence - 1 - proven
        guard failed < UInt64(policy.maxAttempts), sequence - 1 - provenByPIN < policy.lifetimeWithoutPIN else { return .blocked }
        let clock = max(now, lastSeen)
        guard clock >= penaltyUntil else { return .penalised(wait: penaltyUntil.seconds(since: clock)) }
        var counter = self
        counter.highest = sequence
        counter.penaltyUntil = clock + policy.penalty(afterFailures: failed + 1)
        counter.lastSeen = clock
        return .counted(counter)
    }

    /// A PIN was proved for the try `sequence`. Tries after it stay counted, and so does their penalty.
    package mutating func prove(_ sequence: UInt64, at now: Instant) {
        proven = max(proven, sequence)
        provenByPIN = max(provenByPIN, sequence)
        highest = max(highest, proven)
        if proven == highest { penaltyUntil = Instant(0) }
        lastSeen = max(now, lastSeen)
    }

    /// An operator gives the tries back. The limit of tries without a proved PIN stays.
    package mutating func reset(at now: Instant) {
        proven = highest
        penaltyUntil = Instant(0)
        lastSeen = now
    }

    /// A biometric was proved under the caller's number `sequence`, which is no new one: all tries so far are given back, block and penalty
    /// with them. What a PIN alone proves stays, so that biometrics cannot buy tries for ever. Call it on a repaired counter.
    /// - Throws: ``ProofRefusal/outOfRange``, ``ProofRefusal/blocked``.
    package mutating func proveBiometric(_ sequence: UInt64, at now: Instant, under policy: Policy) throws(ProofRefusal) {
        guard sequence < Self.limit else { throw .outOfRange }
        let reached = max(highest, sequence)
        guard reached - provenByPIN < policy.lifetimeWithoutPIN else { throw .blocked }
        highest = reached
        proven = reached
        penaltyUntil = Instant(0)
        lastSeen = max(now, lastSeen)
    }

    /// Whether a receipt would move anything.
    package func learns(from receipt: Receipt) -> Bool {
        receipt.sequence > (receipt.method.contains(.pin) ? provenByPIN : proven)
    }

    /// Seconds left to wait.
    func wait(at now: Instant) -> UInt32 { UInt32(clamping: penaltyUntil.seconds(since: max(now, lastSeen))) }
}
