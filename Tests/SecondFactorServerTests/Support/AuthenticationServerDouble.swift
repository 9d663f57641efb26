import OstiaryProtocol
import OstiaryTesting

/// The authentication server's keys, and the calls that it, or a thief of its operational key, can make.
struct AuthenticationServerDouble: Sendable {
    let root: RootKey
    let operatorKey: OperatorKey
    let chain: Encoded<ServerChain>

    init(_ seed: String, serverID: ServerID? = nil) throws {
        let random = SeededRandom(seed)
        root = try RootKey(seed: random.bytes(32), serverID: serverID ?? ServerID(using: random))
        operatorKey = try OperatorKey(seed: random.bytes(32))
        let certificate = root.certify(operatorKey, from: Instant(0), until: Instant(4_000_000_000))
        chain = Encoded(ServerChain(root: root.root, certificates: [certificate]))
    }

    var serverID: ServerID { root.root.serverID }
    var rootHash: [UInt8] { root.root.hash }

    func call(_ message: [UInt8], sealed: [UInt8] = [], receipt: Encoded<Receipt>? = nil) -> [UInt8] {
        SecondFactorCall(caller: chain, message: message, sealed: sealed, receipt: receipt).encoded
    }

    func ticket(_ asked: RawPhone.Asked, sequence: UInt64, at now: Instant) -> Encoded<Ticket> {
        let ticket = Ticket(
            serverID: serverID, sequence: sequence, issuedAt: now, payload: asked.question.payload, attempt: asked.attempt)
        return Encoded(ticket, signedBy: operatorKey)
    }

    func ticketCall(_ asked: RawPhone.Asked, sequence: UInt64, receipt: Encoded<Receipt>? = nil, at now: Instant) -> [UInt8] {
        call(ticket(asked, sequence: sequence, at: now).bytes, sealed: asked.sealed.bytes, receipt: receipt)
    }

    func proof(
        of question: RawPhone.Question, _ instance: InstanceID, signature: [UInt8]?, newKey: [UInt8]? = nil, method: Methods = .pin,
        biometric: [UInt8]? = nil, ticket: Encoded<Ticket>? = nil
    ) -> Encoded<Proof> {
        let proof = Proof(
            serverID: serverID, instanceID: instance, attemptID: question.id, context: question.context, method: method,
            epoch: question.epoch, sessionHash: question.sessionHash, secondFactorKey: newKey, ticket: ticket,
            secondFactorSignature: signature, biometricSignature: biometric)
        return Encoded(proof, signedBy: operatorKey)
    }

    /// A biometric on its own: the ticket, under the last number that was committed, goes with the proof.
    func biometricProof(
        _ attempt: Encoded<Attempt>, payload: [UInt8] = [], signature: [UInt8]?, sequence: UInt64, at now: Instant
    ) -> Encoded<Proof> {
        let ticket = Ticket(serverID: serverID, sequence: sequence, issuedAt: now, payload: payload, attempt: attempt)
        let value = attempt.value
        let proof = Proof(
            serverID: serverID, instanceID: value.instanceID, attemptID: value.attemptID, context: value.context, method: .bio,
            epoch: value.epoch, sessionHash: value.sessionHash, secondFactorKey: nil, ticket: Encoded(ticket, signedBy: operatorKey),
            secondFactorSignature: nil, biometricSignature: signature)
        return Encoded(proof, signedBy: operatorKey)
    }

    func close(_ instance: InstanceID, at now: Instant) -> Encoded<Close> {
        Encoded(Close(serverID: serverID, instanceID: instance, time: now), signedBy: operatorKey)
    }

    func leave(_ deviceKey: [UInt8], _ instance: InstanceID, at now: Instant) -> Encoded<Leave> {
        Encoded(Leave(serverID: serverID, instanceID: instance, deviceKey: deviceKey, time: now), signedBy: operatorKey)
    }

    func reset(_ instance: InstanceID, at now: Instant) -> Encoded<Reset> {
        Encoded(Reset(serverID: serverID, instanceID: instance, time: now), signedBy: operatorKey)
    }
}
