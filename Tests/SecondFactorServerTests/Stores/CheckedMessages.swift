import OstiaryProtocol
import OstiaryTesting

@testable import SecondFactor

/// Tickets and proofs as they are after all signatures were checked, for asking the services directly.
struct CheckedMessages: Sendable {
    let owner: VirtualServer
    let instanceID: InstanceID
    let deviceKey: [UInt8]
    let secondFactorKey: [UInt8]
    let now = Instant(1_800_000_000)

    init(_ seed: String) {
        let random = SeededRandom(seed)
        owner = VirtualServer(id: ServerID(using: random), rootHash: random.bytes(32))
        instanceID = InstanceID(using: random)
        deviceKey = random.bytes(65)
        secondFactorKey = random.bytes(32)
    }

    static func attemptID(_ name: String) -> AttemptID { AttemptID(using: SeededRandom(name)) }

    func ticket(_ name: String, sequence: UInt64, purpose: Purpose = .verify, receipt: ReceiptFacts? = nil) -> ProvenTicket {
        let random = SeededRandom(name)
        let attempt = Attempt(
            instanceID: instanceID, attemptID: Self.attemptID(name), sessionHash: random.bytes(32), context: purpose.context, epoch: 1,
            blindedHash: random.bytes(32), sealedHash: random.bytes(32), ephemeralHash: random.bytes(32), madeAt: now)
        let ticket = Ticket(serverID: owner.id, sequence: sequence, issuedAt: now, payload: [], attempt: Encoded(attempt))
        let checked = CheckedTicket(owner: owner, ticket: ticket, purpose: purpose, blinded: GroupElement(stored: random.bytes(32)))
        let fresh = FreshKey(wrapped: WrappedKey(SeededRandom("key " + name).bytes(65)), publicKey: random.bytes(32))
        return ProvenTicket(checked: checked, deviceKey: deviceKey, receipt: receipt, freshKey: purpose == .verify ? nil : fresh)
    }

    func firstSet(_ name: String) -> ProvenTicket { ticket(name, sequence: 0, purpose: .firstSet(deviceKey: deviceKey)) }

    /// The proof of an attempt that `ticket` with the same name makes.
    func proof(_ name: String, sequence: UInt64, context: SecondFactorContext = .verify) -> ProvenProof {
        let attempt = ticket(name, sequence: sequence).attempt
        let signature = SeededRandom("proof of " + name).bytes(64)
        let proof = Proof(
            serverID: owner.id, instanceID: instanceID, attemptID: attempt.attemptID, context: context, method: .pin, epoch: 1,
            sessionHash: attempt.sessionHash, secondFactorKey: context.setsPIN ? secondFactorKey : nil, secondFactorSignature: signature)
        let checked = CheckedProof(owner: owner, proof: proof, secondFactorSignature: signature, biometricSignature: nil)
        return ProvenProof(checked: checked, secondFactorKey: secondFactorKey, biometricKey: nil, sequence: sequence)
    }

    /// Makes the instance, by a first PIN and its proof.
    func enrol(in service: SecondFactorService) async throws {
        _ = try await service.tickets.reserve(firstSet("first PIN"), at: now)
        _ = try await service.proofs.complete(proof("first PIN", sequence: 0, context: .firstSet), at: now) { _ in [0] }
    }
}
