import OstiaryProtocol

@testable import SecondFactor

/// One byte, repeated: ids and hashes that a person can tell apart.
struct Filled: RandomSource {
    let byte: UInt8

    init(_ byte: UInt8) { self.byte = byte }

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
}

/// Rows and messages for tests of the rules; nothing in here is signed.
enum RulesFixture {
    static let now = Instant(1_800_000_000)
    static let owner = VirtualServer(id: ServerID(using: Filled(0x51)), rootHash: Filled(0x52).bytes(32))
    static let stranger = VirtualServer(id: ServerID(using: Filled(0x51)), rootHash: Filled(0x53).bytes(32))
    static let instanceID = InstanceID(using: Filled(0x10))
    static let deviceKey = Filled(0x20).bytes(65)
    static let secondFactorKey = Filled(0x30).bytes(32)
    static let wrapped = WrappedKey(Filled(0x40).bytes(65))
    static let fresh = FreshKey(wrapped: WrappedKey(Filled(0x41).bytes(65)), publicKey: Filled(0x42).bytes(32))

    static func attemptID(_ number: UInt8) -> AttemptID { AttemptID(using: Filled(number)) }

    static func counter(_ highest: UInt64, _ proven: UInt64, pin: UInt64? = nil, penaltyUntil: Instant = Instant(0)) throws -> Counter {
        guard
            let counter = Counter(
                highest: highest, proven: proven, provenByPIN: pin ?? proven, penaltyUntil: penaltyUntil, lastSeen: now)
        else { throw NoSuchCounter() }
        return counter
    }

    static func instance(
        _ counter: Counter = Counter(at: now), deviceKeys: [[UInt8]] = [deviceKey], biometricKey: [UInt8]? = nil, epoch: UInt32 = 1,
        withoutPIN: UInt16 = 0
    ) -> Instance {
        let keys = Instance.EpochKeys(secondFactorKey: secondFactorKey, evaluationKey: wrapped)
        return Instance(
            id: instanceID, owner: owner, deviceKeys: deviceKeys, biometricKey: biometricKey, epoch: epoch, state: .open(keys), counter: counter,
            withoutPIN: withoutPIN, lastPIN: now)
    }

    /// A ticket whose signatures were checked.
    static func ticket(
        _ number: UInt8 = 1, sequence: UInt64 = 1, purpose: Purpose = .verify, epoch: UInt32 = 1, madeAt: Instant = now,
        deviceKey: [UInt8]? = deviceKey, receipt: ReceiptFacts? = nil, freshKey: FreshKey? = nil, owner: VirtualServer = owner,
        sessionHash: [UInt8] = Filled(0x60).bytes(32), blindedHash: [UInt8] = Filled(0x61).bytes(32), instanceID: InstanceID = instanceID
    ) -> ProvenTicket {
        let attempt = Attempt(
            instanceID: instanceID, attemptID: attemptID(number), sessionHash: sessionHash, context: purpose.context, epoch: epoch,
            blindedHash: blindedHash, sealedHash: Filled(0x62).bytes(32), ephemeralHash: Filled(0x63).bytes(32), madeAt: madeAt)
        let ticket = Ticket(serverID: owner.id, sequence: sequence, issuedAt: madeAt, payload: [], attempt: Encoded(attempt))
        let checked = CheckedTicket(owner: owner, ticket: ticket, purpose: purpose, blinded: GroupElement(stored: Filled(0x64).bytes(32)))
        return ProvenTicket(checked: checked, deviceKey: deviceKey, receipt: receipt, freshKey: freshKey)
    }

    static func firstSet(_ number: UInt8 = 1, deviceKey: [UInt8] = deviceKey, freshKey: FreshKey? = fresh, epoch: UInt32 = 1, sequence: UInt64 = 0)
        -> ProvenTicket
    {
        ticket(
            number, sequence: sequence, purpose: .firstSet(deviceKey: deviceKey), epoch: epoch, deviceKey: deviceKey, freshKey: freshKey)
    }

    /// A proof whose signatures were checked, of the attempt that `ticket` with the same number makes.
    static func proof(
        _ number: UInt8 = 1, sequence: UInt64 = 1, context: SecondFactorContext = .verify, epoch: UInt32 = 1, owner: VirtualServer = owner,
        sessionHash: [UInt8] = Filled(0x60).bytes(32), key: [UInt8] = secondFactorKey, signature: [UInt8] = Filled(0x70).bytes(64),
        method: Methods = .pin, biometricKey: [UInt8]? = nil
    ) -> ProvenProof {
        let proof = Proof(
            serverID: owner.id, instanceID: instanceID, attemptID: attemptID(number), context: context, method: method, epoch: epoch,
            sessionHash: sessionHash, secondFactorKey: context.setsPIN ? key : nil, secondFactorSignature: signature)
        let biometric = method.contains(.bio) ? Filled(0x71).bytes(64) : nil
        let checked = CheckedProof(owner: owner, proof: proof, secondFactorSignature: signature, biometricSignature: biometric)
        return ProvenProof(checked: checked, secondFactorKey: key, biometricKey: biometricKey, sequence: sequence)
    }

    static let biometricKey = Filled(0x80).bytes(65)

    /// A proof by biometric alone whose signatures were checked.
    static func biometric(
        _ number: UInt8 = 1, sequence: UInt64 = 0, purpose: Purpose = .verify, epoch: UInt32 = 1, madeAt: Instant = now,
        deviceKey: [UInt8] = deviceKey, biometricKey: [UInt8] = biometricKey, receipt: ReceiptFacts? = nil, owner: VirtualServer = owner,
        sessionHash: [UInt8] = Filled(0x60).bytes(32), signature: [UInt8] = Filled(0x71).bytes(64)
    ) -> ProvenBiometric {
        let ticket = ticket(
            number, sequence: sequence, purpose: purpose, epoch: epoch, madeAt: madeAt, owner: owner, sessionHash: sessionHash,
            blindedHash: CheckedBiometric.noHash)
        let proof = Proof(
            serverID: owner.id, instanceID: instanceID, attemptID: attemptID(number), context: purpose.context, method: .bio, epoch: epoch,
            sessionHash: sessionHash, secondFactorKey: nil, ticket: Encoded(ticket.ticket), secondFactorSignature: nil,
            biometricSignature: signature)
        let checked = CheckedBiometric(owner: owner, proof: proof, ticket: ticket.ticket, purpose: purpose, signature: signature)
        return ProvenBiometric(checked: checked, deviceKey: deviceKey, biometricKey: biometricKey, receipt: receipt)
    }

    /// A "signature" that keeps every fact of a receipt readable.
    static let readable: SignReceipt = { $0.encoded }
}

struct NoSuchCounter: Error {}

extension Ruling {
    /// The rows after the changes, as a store would have them for the same instance and attempt.
    func applied(to situation: Situation) -> Situation {
        var rows = situation
        for change in changes {
            switch change {
            case .saveInstance(let instance): rows.instance = instance
            case .saveAttempt(let attempt): rows.attempt = attempt
            case .hold(let key): rows.pending = key
            case .dropPending: rows.pending = nil
            case .supersede(let id): if rows.attempt?.id == id { rows.attempt?.state = .superseded }
            case .forgetAttempts: rows.attempt = nil
            case .log(let record): rows.resets.append(record)
            }
        }
        return rows
    }
}

extension TicketOutcome {
    var refusal: TicketRefusal? {
        guard case .refused(let refusal, _) = self else { return nil }
        return refusal
    }

    var admitted: AttemptRecord? {
        guard case .admitted(let attempt, _, _) = self else { return nil }
        return attempt
    }

    var standing: Standing {
        switch self {
        case .admitted(_, _, let standing), .refused(_, let standing): standing
        }
    }
}

extension ProofOutcome {
    var refusal: ProofRefusal? {
        guard case .refused(let refusal, _) = self else { return nil }
        return refusal
    }

    var receipt: [UInt8]? {
        guard case .proved(let receipt, _) = self else { return nil }
        return receipt
    }
}
