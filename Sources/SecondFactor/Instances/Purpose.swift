import OstiaryProtocol

/// What an attempt is for, with what its payload says (protocol §7).
package enum Purpose: Hashable, Sendable {
    case verify
    /// A first PIN; the device key becomes the first one of the new instance.
    case firstSet(deviceKey: [UInt8])
    /// One more device key for an instance, by a proof of its PIN.
    case enrol(deviceKey: [UInt8])
    /// The biometric key of the instance from now on, by a proof of its PIN.
    case biometricsAdd(key: [UInt8])
    case biometricsRemove(key: [UInt8])
    /// Vouches for a PIN_CHANGE_SET that follows.
    case pinChangeVerify
    /// A new PIN; the attempt named is the PIN_CHANGE_VERIFY that vouches for it.
    case pinChangeSet(voucher: AttemptID)

    package var context: SecondFactorContext {
        switch self {
        case .verify: .verify
        case .firstSet: .firstSet
        case .enrol: .enrol
        case .biometricsAdd: .biometricsAdd
        case .biometricsRemove: .biometricsRemove
        case .pinChangeVerify: .pinChangeVerify
        case .pinChangeSet: .pinChangeSet
        }
    }

    /// The device key that joins when the attempt is proved.
    package var deviceKey: [UInt8]? {
        switch self {
        case .firstSet(let key), .enrol(let key): key
        case .verify, .biometricsAdd, .biometricsRemove, .pinChangeVerify, .pinChangeSet: nil
        }
    }

    package var biometricKey: [UInt8]? {
        switch self {
        case .biometricsAdd(let key), .biometricsRemove(let key): key
        case .verify, .firstSet, .enrol, .pinChangeVerify, .pinChangeSet: nil
        }
    }

    package var voucher: AttemptID? {
        switch self {
        case .pinChangeSet(let voucher): voucher
        case .verify, .firstSet, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify: nil
        }
    }
}

extension SecondFactorContext {
    /// The methods that prove an attempt which was evaluated. A PIN_CHANGE_SET is proved by the one that vouched for it (protocol §7).
    var evaluatedMethods: [Methods] {
        switch self {
        case .verify, .pinChangeVerify: [.pin, [.pin, .bio]]
        case .firstSet, .enrol, .biometricsAdd, .biometricsRemove: [.pin]
        case .pinChangeSet: [.pin, .bio]
        }
    }

    /// Whether a biometric is enough, without an evaluation.
    var allowsBiometricAlone: Bool {
        switch self {
        case .verify, .biometricsRemove, .pinChangeVerify: true
        case .firstSet, .enrol, .biometricsAdd, .pinChangeSet: false
        }
    }
}

extension Purpose {
    /// Reads the payload of a ticket, which the session hash must cover. VERIFY takes its hash from a session and has no payload.
    init(of ticket: Ticket) throws(TicketRefusal) {
        let attempt = ticket.attempt.value
        let purpose = try Self(context: attempt.context, payload: ticket.payload)
        if purpose != .verify {
            let expected = Transcript.operation(attempt.context, instance: attempt.instanceID, epoch: attempt.epoch, payload: ticket.payload)
            guard matches(expected, attempt.sessionHash) else { throw .sessionHash }
        }
        self = purpose
    }

    private init(context: SecondFactorContext, payload: [UInt8]) throws(TicketRefusal) {
        switch context {
        case .verify, .pinChangeVerify:
            guard payload.isEmpty else { throw .payload }
            self = context == .verify ? .verify : .pinChangeVerify
        case .firstSet: self = .firstSet(deviceKey: try Self.key(in: payload, followedBy: 32))
        case .enrol: self = .enrol(deviceKey: try Self.key(in: payload, followedBy: 32))
        case .biometricsAdd: self = .biometricsAdd(key: try Self.key(in: payload, followedBy: 0))
        case .biometricsRemove: self = .biometricsRemove(key: try Self.key(in: payload, followedBy: 0))
        case .pinChangeSet:
            guard let voucher = AttemptID(payload) else { throw .payload }
            self = .pinChangeSet(voucher: voucher)
        }
    }

    /// The P-256 key that a payload starts with.
    private static func key(in payload: [UInt8], followedBy rest: Int) throws(TicketRefusal) -> [UInt8] {
        guard payload.count == DevicePublicKey.count + rest else { throw .payload }
        let key = Array(payload.prefix(DevicePublicKey.count))
        guard (try? DevicePublicKey(key)) != nil else { throw .payload }
        return key
    }
}
