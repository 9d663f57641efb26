import Authentication
import OstiaryProtocol
import OstiaryTesting

/// A phone in a world, with the account that it enrolled.
struct TestPhone: Sendable {
    typealias Choice = RawPhone.Choice
    typealias Change = RawPhone.Change
    typealias OwnAttempt = RawPhone.OwnAttempt

    let world: DomainFixture
    var raw: RawPhone
    var account: AccountID?

    init(_ world: DomainFixture, _ name: String) throws {
        self.world = world
        raw = try RawPhone(name)
    }

    /// The same phone with the device key of one more account.
    init(sharing phone: TestPhone) throws {
        world = phone.world
        raw = phone.raw.with(deviceKeyOf: try RawPhone("\(phone.name), second key"))
    }

    var name: String { raw.name }
    var instance: InstanceID { raw.instance }
    var random: any RandomSource { raw.random }
    var publicKey: [UInt8] { raw.publicKey }
    var secondFactorPublicKey: [UInt8] { raw.secondFactorPublicKey }

    func sign(_ bytes: [UInt8]) throws -> [UInt8] { try raw.sign(bytes) }

    func ephemeral() throws -> EphemeralKey { try raw.ephemeral() }

    func outgoing(_ bytes: [UInt8], _ ephemeral: EphemeralKey) -> Outgoing { Outgoing(bytes: bytes, ephemeral: ephemeral, sentAt: world.now) }

    /// A message of its own request, signed together with that request's key and time.
    func fresh<Message: DeviceSigned>(_ message: Message, ephemeral: EphemeralKey? = nil, at time: Instant? = nil) throws -> Outgoing {
        let (ephemeral, sentAt) = (try ephemeral ?? self.ephemeral(), time ?? world.now)
        return Outgoing(bytes: try raw.fresh(message, ephemeral, at: sentAt).bytes, ephemeral: ephemeral, sentAt: sentAt)
    }
}

/// A try of the second factor that is about to be sent.
struct Try: Sendable {
    let asked: RawPhone.Asked
    let message: Outgoing

    var attempt: Encoded<Attempt> { asked.attempt }
    var sealed: SealedRequest { asked.sealed }
    var id: AttemptID { asked.question.id }
}

/// What came back for a try.
struct Tried: Sendable {
    let question: RawPhone.Question
    let status: Status
    let answer: M2
    let evaluation: SecondFactorEvaluation?

    var id: AttemptID { question.id }
    var sessionHash: [UInt8] { question.sessionHash }

    init(_ question: RawPhone.Question, status: Status, answer: M2, evaluation: SecondFactorEvaluation?) {
        self.question = question
        self.status = status
        self.answer = answer
        self.evaluation = evaluation
    }

    /// What was never asked, as if it had been answered.
    init(never question: RawPhone.Question) {
        self.init(question, status: .ok, answer: M2(epoch: 1, tries: .none, serverShare: nil, sealed: []), evaluation: nil)
    }
}

extension DomainFixture {
    /// The second-factor server as phones know it.
    func knownSecondFactor() throws -> KnownServer {
        try KnownServer(secondFactor.keys.chain.value, prekey: secondFactor.keys.published.value, rootHash: secondFactor.keys.root.hash)
    }
}

extension TestPhone {
    /// One try, bound to what it approves.
    func attempt(
        _ context: SecondFactorContext, sessionHash: [UInt8], payload: [UInt8] = [], account: AccountID, ephemeral: EphemeralKey,
        id: AttemptID? = nil, blinded: [UInt8]? = nil, epoch: UInt32 = 1, instance: InstanceID? = nil,
        about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) throws -> Try {
        let asking = try raw.question(
            context, sessionHash: sessionHash, payload: payload, id: id, blinded: blinded, epoch: epoch, instance: instance)
        return try attempt(asking, account: account, ephemeral: ephemeral, about: question)
    }

    func attempt(
        _ asking: RawPhone.Question, account: AccountID, ephemeral: EphemeralKey, about question: (session: SessionID, offer: Encoded<Offer>)? = nil
    ) throws -> Try {
        let asked = try raw.ask(asking, of: try world.knownSecondFactor(), ephemeral, at: world.now)
        return Try(asked: asked, message: outgoing(asked.message(for: account, about: question).bytes, ephemeral))
    }

    func send(_ attempt: Try) async throws -> Tried {
        let reply = try await world.deliver(attempt.message)
        let answer = try M2(decoding: reply.body)
        return Tried(
            attempt.asked.question, status: reply.status, answer: answer,
            evaluation: try attempt.asked.evaluation(in: answer.sealed, of: try world.knownSecondFactor(), at: world.now))
    }

    /// What the opened box signs.
    func secondFactorSignature(_ tried: Tried, evaluationKey: [UInt8]? = nil) throws -> [UInt8] {
        try raw.signature(of: tried.question, evaluationKey: evaluationKey ?? tried.evaluation?.evaluationKey)
    }
}
