import OstiaryProtocol

/// That a person proved the second factor in order to set another PIN: good for one change, and not for long (protocol §7).
package struct PINChange: Equatable, Sendable {
    /// Seconds within which the new PIN may be begun.
    package static let life: UInt64 = 300

    /// The PIN_CHANGE_VERIFY that vouches.
    package let attempt: AttemptID
    package let account: AccountID
    package let methods: Methods
    package let verifiedAt: Instant
    /// The epoch that was proved; the new PIN belongs to the next.
    package let epoch: UInt32
    /// The share of the next epoch: one for every PIN_CHANGE_SET of it, so that whichever is completed has the right one.
    package let serverShare: StoredSecret
    /// The newest PIN_CHANGE_SET, over whose time a biometric signs.
    package var setting: TriedAttempt?

    package init(
        attempt: AttemptID, account: AccountID, methods: Methods, verifiedAt: Instant, epoch: UInt32, serverShare: StoredSecret,
        setting: TriedAttempt? = nil
    ) {
        self.attempt = attempt
        self.account = account
        self.methods = methods
        self.verifiedAt = verifiedAt
        self.epoch = epoch
        self.serverShare = serverShare
        self.setting = setting
    }

    /// What a completed change was verified by: with a PIN among the methods it counts as the PIN.
    var method: Methods { methods.contains(.pin) ? .pin : .bio }

    /// A moment ahead of `now`, by a clock that was put right since, is as far away as one behind.
    func isFresh(at now: Instant) -> Bool { now.distance(to: verifiedAt) < Self.life }

    /// Whether it vouches for a PIN_CHANGE_SET of this account with this payload and epoch.
    func vouches(for account: AccountID, payload: [UInt8], epoch: UInt32) -> Bool {
        self.account == account && payload == attempt.bytes && epoch == self.epoch + 1
    }

    /// Notes a PIN_CHANGE_SET; asked again it keeps its first time.
    mutating func begin(_ attempt: TriedAttempt) {
        if setting?.id != attempt.id { setting = attempt }
    }
}

/// An attempt that was handed to the second-factor server: what its later messages do not repeat.
package struct TriedAttempt: Equatable, Sendable {
    package let id: AttemptID
    package let epoch: UInt32
    /// The time in the Attempt, over which a biometric beside the PIN signs.
    package let madeAt: Instant

    package init(id: AttemptID, epoch: UInt32, madeAt: Instant) {
        self.id = id
        self.epoch = epoch
        self.madeAt = madeAt
    }

    init(_ attempt: Attempt) { self.init(id: attempt.attemptID, epoch: attempt.epoch, madeAt: attempt.madeAt) }
}

/// The last M3 that was completed, so that a repeat of it is answered alike and has no second effect.
package struct FinishedChange: Equatable, Sendable {
    /// SHA of the M3 without its signature.
    package let decision: [UInt8]
    /// The M4.
    package let answer: [UInt8]

    package init(decision: [UInt8], answer: [UInt8]) {
        self.decision = decision
        self.answer = answer
    }
}
