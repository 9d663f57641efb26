import OstiaryProtocol

/// What an attempt is for. The contexts that are not here are not offered by this server yet.
package enum Purpose: Hashable, Sendable {
    case verify
    /// A first PIN; the device key becomes the first one of the new instance.
    case firstSet(deviceKey: [UInt8])
    /// One more device key for an instance, by a proof of its PIN.
    case enrol(deviceKey: [UInt8])

    package var context: SecondFactorContext {
        switch self {
        case .verify: .verify
        case .firstSet: .firstSet
        case .enrol: .enrol
        }
    }

    /// The device key that joins when the attempt is proved.
    package var deviceKey: [UInt8]? {
        switch self {
        case .verify: nil
        case .firstSet(let key), .enrol(let key): key
        }
    }
}

/// A try that was counted, or a key that was made: what is remembered so that its repetition gives the first outcome (protocol §7).
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
    package let reservedAt: Instant
    package let expiresAt: Instant
    /// What the phone was told of its tries.
    package let tries: Tries
    /// pkK of a new key, for the phone to pin.
    package let newEvaluationKey: [UInt8]?
    /// Element and proof, 96 bytes; nil until they were made, or after a crash in between.
    package var evaluation: [UInt8]?
    package var state: State

    package enum State: Hashable, Sendable {
        case reserved
        /// Another attempt took its place before it was proved; its key is erased.
        case superseded
        /// Proved: SHA(sfSig) and the receipt as it was sent.
        case done(signatureHash: [UInt8], receipt: [UInt8])
    }

    package init(
        id: AttemptID, instanceID: InstanceID, owner: VirtualServer, sessionHash: [UInt8], purpose: Purpose, epoch: UInt32, blindedHash: [UInt8],
        sequence: UInt64, reservedAt: Instant, expiresAt: Instant, tries: Tries, newEvaluationKey: [UInt8]?, evaluation: [UInt8]?, state: State
    ) {
        self.id = id
        self.instanceID = instanceID
        self.owner = owner
        self.sessionHash = sessionHash
        self.purpose = purpose
        self.epoch = epoch
        self.blindedHash = blindedHash
        self.sequence = sequence
        self.reservedAt = reservedAt
        self.expiresAt = expiresAt
        self.tries = tries
        self.newEvaluationKey = newEvaluationKey
        self.evaluation = evaluation
        self.state = state
    }
}

/// A key that was made for one FIRST_SET and is nobody's yet: the proof makes it the instance's, another attempt erases it.
package struct PendingKey: Hashable, Sendable {
    package let instanceID: InstanceID
    package let owner: VirtualServer
    package let attemptID: AttemptID
    package let deviceKey: [UInt8]
    package let evaluationKey: WrappedKey
    package let expiresAt: Instant

    package init(
        instanceID: InstanceID, owner: VirtualServer, attemptID: AttemptID, deviceKey: [UInt8], evaluationKey: WrappedKey, expiresAt: Instant
    ) {
        self.instanceID = instanceID
        self.owner = owner
        self.attemptID = attemptID
        self.deviceKey = deviceKey
        self.evaluationKey = evaluationKey
        self.expiresAt = expiresAt
    }
}
