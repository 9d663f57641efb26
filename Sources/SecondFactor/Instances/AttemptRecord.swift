import OstiaryProtocol

/// A try that was counted, or a key that was made: what is remembered so that its repetition gives the first outcome (protocol §7). Its evaluation is not
/// among that: from the key, the element that `blindedHash` names and `id` come the same bytes again.
package struct AttemptRecord: Equatable, Sendable {
    package let id: AttemptID
    package let instanceID: InstanceID
    package let owner: VirtualServer
    package let sessionHash: [UInt8]
    package let purpose: Purpose
    package let epoch: UInt32
    package let blindedHash: [UInt8]
    /// 0 where nothing is counted.
    package let sequence: UInt64
    /// The phone's time in the attempt, which a biometric key signs; that of its first arrival.
    package let madeAt: Instant
    package let reservedAt: Instant
    package let expiresAt: Instant
    /// What the phone was told of its tries.
    package let tries: Tries
    /// pkK of a new key, for the phone to pin.
    package let newEvaluationKey: [UInt8]?
    /// How a PIN_CHANGE_SET was vouched for, and so must be proved; nil in other contexts.
    package let vouchedBy: Methods?
    package var state: State

    package enum State: Hashable, Sendable {
        case reserved
        /// Another attempt took its place before it was proved; its key is erased.
        case superseded
        case done(Completion)
    }

    /// How an attempt was proved.
    package struct Completion: Hashable, Sendable {
        package let method: Methods
        package let at: Instant
        /// SHA(sfSig); empty for a biometric on its own, whose signature can be changed into another valid one and tells nothing.
        package let signatureHash: [UInt8]
        /// The receipt as it was sent.
        package let receipt: [UInt8]

        package init(method: Methods, at: Instant, signatureHash: [UInt8], receipt: [UInt8]) {
            self.method = method
            self.at = at
            self.signatureHash = signatureHash
            self.receipt = receipt
        }
    }

    package init(
        id: AttemptID, instanceID: InstanceID, owner: VirtualServer, sessionHash: [UInt8], purpose: Purpose, epoch: UInt32, blindedHash: [UInt8],
        sequence: UInt64, madeAt: Instant, reservedAt: Instant, expiresAt: Instant, tries: Tries, newEvaluationKey: [UInt8]? = nil,
        vouchedBy: Methods? = nil, state: State
    ) {
        self.id = id
        self.instanceID = instanceID
        self.owner = owner
        self.sessionHash = sessionHash
        self.purpose = purpose
        self.epoch = epoch
        self.blindedHash = blindedHash
        self.sequence = sequence
        self.madeAt = madeAt
        self.reservedAt = reservedAt
        self.expiresAt = expiresAt
        self.tries = tries
        self.newEvaluationKey = newEvaluationKey
        self.vouchedBy = vouchedBy
        self.state = state
    }

    /// Until then a repetition gets the first outcome; after that the time in the attempt is refused.
    static func expiry(madeAt: Instant, reservedAt: Instant) -> Instant {
        max(reservedAt, madeAt) + Times.requestWindow + Times.attemptRetention
    }
}
