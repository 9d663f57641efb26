import Authentication
import Crypto
import OstiaryProtocol

/// The keys of one phone and the messages that it makes with them. What a right PIN opens lies open here: a person who mistypes sends no proof.
struct TestPhone: Sendable {
    let world: World
    let name: String
    let deviceKey: P256.Signing.PrivateKey
    /// Another one after a change of the PIN that a biometric verified.
    var secondFactorKey: Curve25519.Signing.PrivateKey
    let instance: InstanceID
    let random: SteadyRandom
    var account: AccountID?

    init(_ world: World, _ name: String) throws {
        self.world = world
        self.name = name
        random = SteadyRandom(name)
        deviceKey = try P256.Signing.PrivateKey(rawRepresentation: random.bytes(32))
        secondFactorKey = try Curve25519.Signing.PrivateKey(rawRepresentation: random.bytes(32))
        instance = InstanceID(using: random)
    }

    /// The same phone with the device key of one more account.
    init(sharing phone: TestPhone) throws {
        world = phone.world
        name = "\(phone.name), second key"
        random = SteadyRandom(name)
        deviceKey = try P256.Signing.PrivateKey(rawRepresentation: random.bytes(32))
        secondFactorKey = phone.secondFactorKey
        instance = phone.instance
    }

    var publicKey: [UInt8] { Array(deviceKey.publicKey.x963Representation) }
    var secondFactorPublicKey: [UInt8] { Array(secondFactorKey.publicKey.rawRepresentation) }

    func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try deviceKey.signature(for: bytes).rawRepresentation) }

    func ephemeral() throws -> EphemeralKey { try EphemeralKey(using: random) }

    func outgoing(_ bytes: [UInt8], _ ephemeral: EphemeralKey) -> Outgoing { Outgoing(bytes: bytes, ephemeral: ephemeral, sentAt: world.now) }

    /// The blinded element of one try: any element of the group, as it looks from outside.
    static func blinded() throws -> [UInt8] { try OPRFKey.generate().publicKey }

    /// A message of its own request, signed together with that request's key and time.
    func fresh<Message: WireMessage & DeviceSigned>(
        _ message: Message, ephemeral: EphemeralKey? = nil, at time: Instant? = nil
    ) throws -> Outgoing {
        let (ephemeral, sentAt) = (try ephemeral ?? self.ephemeral(), time ?? world.now)
        let freshness = SealedRequest.freshness(ephemeral: ephemeral.publicKey, at: sentAt)
        return Outgoing(bytes: try Encoded(message, freshness: freshness, signedBy: sign).bytes, ephemeral: ephemeral, sentAt: sentAt)
    }
}

/// A try of the second factor that is about to be sent, or was evaluated.
struct Try: Sendable {
    let attempt: Encoded<Attempt>
    let message: Outgoing
    /// What only the second-factor server can open.
    let sealed: SealedRequest

    var id: AttemptID { attempt.value.attemptID }
}

/// What came back for a try.
struct Tried: Sendable {
    let id: AttemptID
    let sessionHash: [UInt8]
    let context: SecondFactorContext
    let status: Status
    let answer: M2
    let evaluation: SecondFactorEvaluation?
}

extension TestPhone {
    /// One try, bound to what it approves.
    func attempt(
        _ context: SecondFactorContext, sessionHash: [UInt8], payload: [UInt8] = [], account: AccountID, ephemeral: EphemeralKey,
        id: AttemptID? = nil, blinded: [UInt8]? = nil, epoch: UInt32 = 1, instance: InstanceID? = nil,
        about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) throws -> Try {
        let blinded = try blinded ?? Self.blinded()
        let secondFactor = world.secondFactor.keys
        let sealed = try SealedRequest(blinded, to: secondFactor.published.value, of: secondFactor.root, ephemeral: ephemeral, at: world.now)
        let attempt = try Encoded(
            Attempt(
                instanceID: instance ?? self.instance, attemptID: id ?? AttemptID(using: random), sessionHash: sessionHash, context: context,
                epoch: epoch, blindedHash: SHA(blinded), sealedHash: SHA(sealed.bytes), ephemeralHash: SHA(ephemeral.publicKey),
                madeAt: world.now), signedBy: sign)
        let message = M1(accountID: account, attempt: attempt, payload: payload, sealed: sealed.bytes, about: question)
        return Try(attempt: attempt, message: outgoing(message.encoded, ephemeral), sealed: sealed)
    }

    func send(_ attempt: Try) async throws -> Tried {
        let reply = try await world.deliver(attempt.message)
        let answer = try M2(decoding: reply.body)
        let value = attempt.attempt.value
        return Tried(
            id: value.attemptID, sessionHash: value.sessionHash, context: value.context, status: reply.status, answer: answer,
            evaluation: try evaluation(answer.sealed, for: attempt))
    }

    private func evaluation(_ sealed: [UInt8], for attempt: Try) throws -> SecondFactorEvaluation? {
        guard !sealed.isEmpty else { return nil }
        let secondFactor = world.secondFactor.keys
        let keys = try OperatorKeys.verify(secondFactor.chain.value, rootHash: secondFactor.root.hash)
        let answer = try attempt.sealed.open(sealed, from: keys, clock: world.now)
        return try SecondFactorEvaluation(decoding: answer.body)
    }

    /// What the opened box signs.
    func secondFactorSignature(_ tried: Tried, evaluationKey: [UInt8]? = nil) throws -> [UInt8] {
        let set = tried.context.setsPIN
        let content =
            set
            ? Transcript.secondFactorSet(
                instance: instance, attempt: tried.id, context: tried.context, sessionHash: tried.sessionHash,
                evaluationKey: try present(evaluationKey ?? tried.evaluation?.evaluationKey), secondFactorKey: secondFactorPublicKey)
            : Transcript.secondFactorProof(instance: instance, attempt: tried.id, context: tried.context, sessionHash: tried.sessionHash)
        return edwardsSignature(secondFactorKey, set ? .secondFactorSet : .secondFactorProof, content)
    }
}
