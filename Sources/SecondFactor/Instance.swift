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
    /// The active epoch, from 1; each change of the PIN opens the next.
    package let epoch: UInt32
    package private(set) var state: State
    package var counter: Counter
    /// Successes by biometrics since the last PIN.
    package private(set) var withoutPIN: UInt16
    package private(set) var lastPIN: Instant

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
        id: InstanceID, owner: VirtualServer, deviceKeys: [[UInt8]], epoch: UInt32, state: State, counter: Counter, withoutPIN: UInt16,
        lastPIN: Instant
    ) {
        self.id = id
        self.owner = owner
        self.deviceKeys = deviceKeys
        self.epoch = epoch
        self.state = state
        self.counter = counter
        self.withoutPIN = withoutPIN
        self.lastPIN = lastPIN
    }

    /// Whether one more device key may join, or has joined already.
    func hasRoom(for deviceKey: [UInt8]) -> Bool {
        deviceKeys.contains(deviceKey) || deviceKeys.count < Self.deviceKeyLimit
    }

    mutating func join(_ deviceKey: [UInt8]) {
        guard !deviceKeys.contains(deviceKey) else { return }
        deviceKeys.append(deviceKey)
    }

    /// A PIN was proved for the try `sequence`.
    mutating func provePIN(_ sequence: UInt64, at now: Instant) {
        counter.prove(sequence, at: now)
        withoutPIN = 0
        lastPIN = now
    }

    mutating func close() { state = .closed }
}
