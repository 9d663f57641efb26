import OstiaryProtocol
import OstiaryTesting

/// A phone that asks the second-factor server alone: each try goes with a request of its own.
extension RawPhone {
    func ask(_ question: Question, _ identity: PublishedIdentity, at now: Instant) throws -> Asked {
        try ask(question, of: identity.server, try ephemeral(), at: now)
    }

    /// The attempt of a biometric on its own.
    func biometricAttempt(_ question: Question, at now: Instant) throws -> Encoded<Attempt> {
        try sign(ownAttempt(question.context, question.sessionHash, try ephemeral(), id: question.id, epoch: question.epoch, at: now))
    }

    /// devPk || enrolHash, of an enrolment that is not looked at.
    func payload(joining key: [UInt8]? = nil) -> [UInt8] { (key ?? publicKey) + random.bytes(32) }
}

/// A second-factor server as others see it, its chain verified.
struct PublishedIdentity: Sendable {
    let bytes: [UInt8]
    let prekeys: [Prekey]
    /// With the prekey that is valid for longest.
    let server: KnownServer

    struct NoPrekey: Error {}

    init(_ bytes: [UInt8], hash: [UInt8], at now: Instant) throws {
        let identity = try SecondFactorIdentity(decoding: bytes)
        self.bytes = bytes
        let keys = try OperatorKeys.verify(identity.chain, rootHash: hash)
        for prekey in identity.prekeys { try prekey.verify(with: keys, at: now) }
        prekeys = identity.prekeys.map(\.value).filter { now <= $0.notAfter }
        guard let newest = prekeys.max(by: { $0.notAfter < $1.notAfter }) else { throw NoPrekey() }
        server = KnownServer(root: identity.chain.root, prekey: newest, keys: keys)
    }

    var root: Root { server.root }
    var keys: OperatorKeys { server.keys }
    var prekey: Prekey { server.prekey }
}
