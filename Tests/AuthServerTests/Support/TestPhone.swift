import Crypto
import Foundation
import HTTPTypes
import OstiaryProtocol
import Testing

/// The phone's side of AP1, as short as it can be: the device key and the second-factor key lie open, the PIN is whether the right key signs.
struct TestPhone: Sendable {
    let servers: TwoServers
    let bundle: VerifiedBundle
    let deviceKey: P256.Signing.PrivateKey
    /// What a right PIN would open.
    let secondFactorKey: Curve25519.Signing.PrivateKey
    let instance: InstanceID
    let device: String

    init(_ servers: TwoServers, device: String = "Pixel 9") async throws {
        self.servers = servers
        self.device = device
        bundle = try await servers.bundle()
        deviceKey = P256.Signing.PrivateKey()
        secondFactorKey = Curve25519.Signing.PrivateKey()
        instance = InstanceID(using: SystemRandomSource())
    }

    var devicePublicKey: [UInt8] { Array(deviceKey.publicKey.x963Representation) }
    var pkSf: [UInt8] { Array(secondFactorKey.publicKey.rawRepresentation) }

    func sign(_ input: [UInt8]) throws -> [UInt8] { Array(try deviceKey.signature(for: Data(input)).rawRepresentation) }

    /// Seals a message as this phone would at the servers' time.
    func seal(_ message: [UInt8], _ ephemeral: EphemeralKey, at time: Instant? = nil) throws -> SealedRequest {
        let prekey = try #require(bundle.prekey(at: servers.now))
        return try SealedRequest(message, to: prekey, of: bundle.bundle.chain.root, ephemeral: ephemeral, at: time ?? servers.now)
    }

    /// Sends a request and opens its answer.
    func send(_ request: SealedRequest) async throws -> Answer {
        let answer = try await servers.post(request.bytes)
        try #require(answer.status == .ok)
        return try request.open(answer.body, from: bundle.operatorKeys, clock: servers.now)
    }

    func send(_ message: [UInt8], _ ephemeral: EphemeralKey) async throws -> Answer { try await send(try seal(message, ephemeral)) }

    /// Sends a message that comes with a fresh ephemeral key and signs it.
    func sendFresh<Message: DeviceSigned>(_ message: Message, at time: Instant? = nil) async throws -> Answer {
        try await send(try sealFresh(message, at: time))
    }

    func sealFresh<Message: DeviceSigned>(_ message: Message, _ ephemeral: EphemeralKey? = nil, at time: Instant? = nil) throws -> SealedRequest {
        let ephemeral = try ephemeral ?? EphemeralKey(using: SystemRandomSource())
        let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: time ?? servers.now)
        return try seal(try Encoded(message, freshness: freshness, signedBy: sign).bytes, ephemeral, at: time)
    }

    static func ephemeral() throws -> EphemeralKey { try EphemeralKey(using: SystemRandomSource()) }
}

/// One try of the PIN, to be sent as often as the test likes.
struct TestAttempt: Sendable {
    let id: AttemptID
    let ephemeral: EphemeralKey
    let sessionHash: [UInt8]
    let context: SecondFactorContext
    let payload: [UInt8]
    let account: AccountID
    let blinded: [UInt8]
    let epoch: UInt32
    /// Session and offer of a login.
    let question: (session: SessionID, offer: Encoded<Offer>)?

    init(
        _ sessionHash: [UInt8], context: SecondFactorContext = .verify, payload: [UInt8] = [], account: AccountID, ephemeral: EphemeralKey,
        blinded: [UInt8]? = nil, epoch: UInt32 = 1, about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) throws {
        self.question = question
        id = AttemptID(using: SystemRandomSource())
        self.ephemeral = ephemeral
        self.sessionHash = sessionHash
        self.context = context
        self.payload = payload
        self.account = account
        self.epoch = epoch
        self.blinded = try blinded ?? VOPRF.deriveKeyPair(seed: SystemRandomSource().bytes(32), info: []).publicKey.bytes
    }
}

extension TestPhone {
    /// M1 for an attempt, sealed for both servers.
    func m1(_ attempt: TestAttempt) throws -> (message: Encoded<M1>, sealed: SealedRequest) {
        let identity = bundle.bundle.secondFactor.value
        let prekey = try #require(identity.prekeys.map(\.value).max { $0.notAfter < $1.notAfter })
        let sealed = try SealedRequest(attempt.blinded, to: prekey, of: identity.chain.root, ephemeral: attempt.ephemeral, at: servers.now)
        let content = Attempt(
            instanceID: instance, attemptID: attempt.id, sessionHash: attempt.sessionHash, context: attempt.context,
            epoch: attempt.epoch, blindedHash: SHA(attempt.blinded), sealedHash: SHA(sealed.bytes), ephemeralHash: SHA(attempt.ephemeral.publicKey),
            madeAt: servers.now)
        let signed = try Encoded(content, signedBy: sign)
        return (
            Encoded(M1(accountID: attempt.account, attempt: signed, payload: attempt.payload, sealed: sealed.bytes, about: attempt.question)), sealed
        )
    }

    /// What became of an attempt.
    struct Evaluated {
        let status: Status
        let m2: M2?
        let evaluation: SecondFactorEvaluation?
    }

    func evaluate(_ attempt: TestAttempt) async throws -> Evaluated {
        let (message, sealed) = try m1(attempt)
        let answer = try await send(message.bytes, attempt.ephemeral)
        guard !answer.body.isEmpty else { return Evaluated(status: answer.status, m2: nil, evaluation: nil) }
        guard let m2 = try? M2(decoding: answer.body) else { return Evaluated(status: answer.status, m2: nil, evaluation: nil) }
        guard answer.status == .ok else { return Evaluated(status: answer.status, m2: m2, evaluation: nil) }
        let inner = try sealed.open(m2.sealed, from: bundle.secondFactorKeys, clock: servers.now)
        return Evaluated(status: answer.status, m2: m2, evaluation: try SecondFactorEvaluation(decoding: inner.body))
    }

    /// sfSig of a right PIN.
    func prove(_ attempt: TestAttempt) throws -> [UInt8] {
        edwardsSignature(
            secondFactorKey, .secondFactorProof,
            Transcript.secondFactorProof(instance: instance, attempt: attempt.id, context: attempt.context, sessionHash: attempt.sessionHash))
    }

    /// sfSig of a PIN that was just set.
    func set(_ attempt: TestAttempt, _ evaluation: SecondFactorEvaluation) throws -> [UInt8] {
        edwardsSignature(
            secondFactorKey, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: instance, attempt: attempt.id, context: attempt.context, sessionHash: attempt.sessionHash,
                evaluationKey: try #require(evaluation.evaluationKey), secondFactorKey: pkSf))
    }
}
