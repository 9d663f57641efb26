import OstiaryProtocol

/// The virtual server that an instance belongs to: the one whose ticket was first. Another root with the same id is another server.
package struct VirtualServer: Hashable, Sendable {
    package let id: ServerID
    package let rootHash: [UInt8]

    package init(id: ServerID, rootHash: [UInt8]) {
        self.id = id
        self.rootHash = rootHash
    }
}

/// An evaluation key as it is stored: opaque here, wrapped and unwrapped by the server target.
package struct WrappedKey: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var description: String { "WrappedKey ‹secret›" }
}

/// One app instance at one virtual server: its device keys, its second-factor key, its counter (protocol §1).
package struct Instance: Hashable, Sendable {
    /// The most device keys of an instance, one for each account of the app at this virtual server.
    package static let deviceKeyLimit = 64

    package let id: InstanceID
    package let owner: VirtualServer
    /// P-256 public keys of 65 bytes, in the order in which they joined.
    package private(set) var deviceKeys: [[UInt8]]
    /// pkBio, a P-256 public key of 65 bytes, when biometrics may prove.
    package private(set) var biometricKey: [UInt8]?
    /// The active epoch, from 1; each change of the PIN opens the next.
    package private(set) var epoch: UInt32
    package private(set) var state: State
    package var counter: Counter
    /// Successes by biometrics since the last PIN.
    package private(set) var withoutPIN: UInt16
    package private(set) var lastPIN: Instant
    /// The time in the newest Reset that was answered, whether there was a block to lift or not; 0 before the first.
    package private(set) var lastReset: Instant

    package enum State: Hashable, Sendable {
        case open(EpochKeys)
        /// The key is erased; the row stays so that the id is never used again.
        case closed
    }

    /// The keys of the active epoch.
    package struct EpochKeys: Hashable, Sendable {
        /// pkSf, 32 bytes: verifies what the opened box signs.
        package let secondFactorKey: [UInt8]
        /// k, wrapped.
        package let evaluationKey: WrappedKey

        package init(secondFactorKey: [UInt8], evaluationKey: WrappedKey) {
            self.secondFactorKey = secondFactorKey
            self.evaluationKey = evaluationKey
        }
    }

    package init(
        id: InstanceID, owner: VirtualServer, deviceKeys: [[UInt8]], biometricKey: [UInt8]? = nil, epoch: UInt32, state: State,
        counter: Counter, withoutPIN: UInt16, lastPIN: Instant, lastReset: Instant = Instant(0)
    ) {
        self.id = id
        self.owner = owner
        self.deviceKeys = deviceKeys
        self.biometricKey = biometricKey
        self.epoch = epoch
        self.state = state
        self.counter = counter
        self.withoutPIN = withoutPIN
        self.lastPIN = lastPIN
        self.lastReset = lastReset
    }

    /// Whether one more device key may join, or has joined already.
    func hasRoom(for deviceKey: [UInt8]) -> Bool {
        deviceKeys.contains(deviceKey) || deviceKeys.count < Self.deviceKeyLimit
    }

    mutating func join(_ deviceKey: [UInt8]) {
        guard !deviceKeys.contains(deviceKey) else { return }
        deviceKeys.append(deviceKey)
    }

    /// The keys of an open instance.
    package var openKeys: EpochKeys? {
        switch state {
        case .open(let keys): keys
        case .closed: nil
        }
    }

    /// A device key signs no attempt any more: its account is gone.
    mutating func leave(_ deviceKey: [UInt8]) { deviceKeys.removeAll { $0 == deviceKey } }

    /// A PIN was proved for the try `sequence`.
    mutating func provePIN(_ sequence: UInt64, at now: Instant) {
        counter.prove(sequence, at: now)
        typedPIN(at: now)
    }

    /// A biometric on its own was proved, within the limits of the policy.
    /// - Throws: ``ProofRefusal/blocked``, ``ProofRefusal/pinRequired``, ``ProofRefusal/outOfRange``.
    mutating func proveBiometric(_ sequence: UInt64, repairedBy receipt: ReceiptFacts?, at now: Instant, under policy: Policy) throws(ProofRefusal) {
        // No clock that was set back makes the last PIN younger.
        let seconds = max(now, counter.lastSeen).seconds(since: lastPIN)
        var proved = settled(at: now)
        proved.counter = proved.counter.repaired(by: receipt)
        try proved.counter.proveBiometric(sequence, at: now, under: policy)
        guard policy.allowsBiometric(after: withoutPIN, secondsSincePIN: seconds) else { throw .pinRequired }
        self = proved
        if withoutPIN < .max { withoutPIN += 1 }
    }

    /// A PIN was set: the next epoch with its keys. The keys of the one before are gone, the counters stay.
    mutating func openNextEpoch(_ keys: EpochKeys, at now: Instant) {
        epoch += 1
        state = .open(keys)
        typedPIN(at: now)
    }

    mutating func setBiometricKey(_ key: [UInt8]?) { biometricKey = key }

    /// Takes a Reset of this time: later than any before, so that none that was recorded is good for a block that came after it.
    /// - Returns: false for the newest one again, which changes nothing.
    /// - Throws: ``ResetRefusal/clock`` for one that is older than the newest.
    mutating func takeReset(of time: Instant, at now: Instant) throws(ResetRefusal) -> Bool {
        // One that is further ahead than a message may be came by a clock that ran ahead, and keeps nobody out until that clock is reached.
        let newest = lastReset > now + Times.requestWindow ? Instant(0) : lastReset
        guard time != newest else { return false }
        guard time > newest else { throw .clock }
        lastReset = time
        return true
    }

    mutating func close() {
        state = .closed
        biometricKey = nil
    }

    /// By the clock that penalties have: it does not go back.
    private mutating func typedPIN(at now: Instant) {
        withoutPIN = 0
        lastPIN = max(now, counter.lastSeen)
    }

    /// The instance by a clock that was put right (``Counter/settled(at:steadyFor:)``): a PIN was typed now at the latest.
    func settled(at now: Instant, steadyFor seconds: UInt64 = 0) -> Instance {
        var instance = self
        instance.counter = counter.settled(at: now, steadyFor: seconds)
        if lastPIN.seconds(since: now) > Times.clockSlack { instance.lastPIN = now }
        return instance
    }

    /// What the phone may be told.
    package func tries(at now: Instant, under policy: Policy) -> Tries {
        Tries(
            failed: UInt8(clamping: counter.failed), most: UInt8(clamping: policy.maxAttempts), wait: counter.wait(at: now),
            withoutPINLeft: policy.withoutPINLeft(after: withoutPIN))
    }

    /// The instance as far as a receipt does not know better.
    func repaired(by receipt: ReceiptFacts?) -> Instance {
        var instance = self
        instance.counter = counter.repaired(by: receipt)
        return instance
    }
}
