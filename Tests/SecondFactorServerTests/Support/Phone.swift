import Crypto
import Foundation
import OstiaryProtocol

/// The phone's side of §7 with real keys: a device key, and the second-factor key that a right PIN would bring out of the box.
struct Phone: Sendable {
    let instanceID: InstanceID
    let device: P256.Signing.PrivateKey
    let secondFactor: Curve25519.Signing.PrivateKey
    let biometric: P256.Signing.PrivateKey
    let random: SeededRandom

    init(_ seed: String) {
        random = SeededRandom(seed)
        instanceID = InstanceID(using: random)
        device = P256.Signing.PrivateKey()
        secondFactor = Curve25519.Signing.PrivateKey()
        biometric = P256.Signing.PrivateKey()
    }

    init(
        instanceID: InstanceID, device: P256.Signing.PrivateKey, secondFactor: Curve25519.Signing.PrivateKey,
        biometric: P256.Signing.PrivateKey = P256.Signing.PrivateKey(), random: SeededRandom
    ) {
        self.instanceID = instanceID
        self.device = device
        self.secondFactor = secondFactor
        self.biometric = biometric
        self.random = random
    }

    var devicePublicKey: [UInt8] { Array(device.publicKey.x963Representation) }
    var biometricPublicKey: [UInt8] { Array(biometric.publicKey.x963Representation) }
    var secondFactorPublicKey: [UInt8] { Array(secondFactor.publicKey.rawRepresentation) }

    /// A guess: any element that was not asked before.
    static func blindedElement() throws -> [UInt8] {
        try GroupElement.generator(times: GroupScalar.random()).bytes
    }

    /// devPk||enrolHash.
    func payload(joining key: [UInt8]? = nil) -> [UInt8] { (key ?? devicePublicKey) + random.bytes(32) }

    /// What is needed to ask once: everything but the sealing stays the same when the attempt is repeated.
    struct Question: Sendable {
        var attemptID: AttemptID
        var context: SecondFactorContext
        var sessionHash: [UInt8]
        var payload: [UInt8]
        var blinded: [UInt8]
        var epoch: UInt32
    }

    func question(_ context: SecondFactorContext = .verify, payload: [UInt8] = [], blinded: [UInt8]? = nil, epoch: UInt32 = 1) throws -> Question {
        let sessionHash =
            context == .verify
            ? random.bytes(32) : Transcript.operation(context, instance: instanceID, epoch: epoch, payload: payload)
        return Question(
            attemptID: AttemptID(using: random), context: context, sessionHash: sessionHash, payload: payload,
            blinded: try blinded ?? Self.blindedElement(), epoch: epoch)
    }

    /// A question sealed to the second-factor server and signed with the device key.
    struct Asked: Sendable {
        let question: Question
        let attempt: Encoded<Attempt>
        let sealed: SealedRequest
    }

    func ask(_ question: Question, _ identity: PublishedIdentity, at now: Instant) throws -> Asked {
        let ephemeral = try EphemeralKey(using: random)
        let sealed = try SealedRequest(question.blinded, to: identity.prekey, of: identity.root, ephemeral: ephemeral, at: now)
        let attempt = Attempt(
            instanceID: instanceID, attemptID: question.attemptID, sessionHash: question.sessionHash, context: question.context,
            epoch: question.epoch, blindedHash: SHA(question.blinded), sealedHash: SHA(sealed.bytes),
            ephemeralHash: SHA(ephemeral.publicKey), madeAt: now)
        return Asked(question: question, attempt: try sign(attempt), sealed: sealed)
    }

    func sign(_ attempt: Attempt) throws -> Encoded<Attempt> {
        try Encoded(attempt) { input in Array(try device.signature(for: input).rawRepresentation) }
    }

    /// sfSig: what only the right PIN lets the phone sign.
    func proof(of question: Question) -> [UInt8] {
        edwardsSignature(
            secondFactor, .secondFactorProof,
            Transcript.secondFactorProof(
                instance: instanceID, attempt: question.attemptID, context: question.context, sessionHash: question.sessionHash))
    }

    /// bioSig over an attempt, under the phone's biometric key or another.
    func biometricSignature(of attempt: Attempt, by key: P256.Signing.PrivateKey? = nil) throws -> [UInt8] {
        let message = Transcript.biometric(
            instance: instanceID, attempt: attempt.attemptID, context: attempt.context, sessionHash: attempt.sessionHash, madeAt: attempt.madeAt)
        return Array(try (key ?? biometric).signature(for: signatureInput(.bio, message)).rawRepresentation)
    }

    /// The attempt of a biometric on its own: nothing is blinded and nothing sealed.
    func biometricAttempt(_ question: Question, at now: Instant) throws -> Encoded<Attempt> {
        try sign(
            Attempt(
                instanceID: instanceID, attemptID: question.attemptID, sessionHash: question.sessionHash, context: question.context,
                epoch: question.epoch, blindedHash: [UInt8](repeating: 0, count: 32), sealedHash: [UInt8](repeating: 0, count: 32),
                ephemeralHash: random.bytes(32), madeAt: now))
    }

    /// sfSig of a first PIN, over the new keys.
    func setProof(of question: Question, evaluationKey: [UInt8]) -> [UInt8] {
        edwardsSignature(
            secondFactor, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: instanceID, attempt: question.attemptID, context: question.context, sessionHash: question.sessionHash,
                evaluationKey: evaluationKey, secondFactorKey: secondFactorPublicKey))
    }
}

/// A second-factor server as others see it, its chain verified.
struct PublishedIdentity: Sendable {
    let bytes: [UInt8]
    let root: Root
    let keys: OperatorKeys
    let prekeys: [Prekey]
    /// The one that is valid for longest.
    let prekey: Prekey

    struct NoPrekey: Error {}

    init(_ bytes: [UInt8], hash: [UInt8], at now: Instant) throws {
        let identity = try SecondFactorIdentity(decoding: bytes)
        self.bytes = bytes
        let keys = try OperatorKeys.verify(identity.chain, rootHash: hash)
        for prekey in identity.prekeys { try prekey.verify(with: keys, at: now) }
        root = identity.chain.root
        self.keys = keys
        prekeys = identity.prekeys.map(\.value).filter { now <= $0.notAfter }
        guard let newest = prekeys.max(by: { $0.notAfter < $1.notAfter }) else { throw NoPrekey() }
        prekey = newest
    }
}
