import OstiaryProtocol

/// A try of the second factor: M1, M2, and what the opened box signs.
extension RawPhone {
    /// What one try asks: all that stays when it is asked again.
    package struct Question: Sendable {
        package var id: AttemptID
        package var context: SecondFactorContext
        package var sessionHash: [UInt8]
        package var payload: [UInt8]
        package var blinded: [UInt8]
        package var epoch: UInt32
        package var instance: InstanceID
    }

    /// A question that is sealed to the second-factor server and signed by the device key.
    package struct Asked: Sendable {
        package let question: Question
        package let attempt: Encoded<Attempt>
        /// What only the second-factor server can open.
        package let sealed: SealedRequest

        package init(question: Question, attempt: Encoded<Attempt>, sealed: SealedRequest) {
            self.question = question
            self.attempt = attempt
            self.sealed = sealed
        }

        /// - Parameter question: session and offer of a login.
        package func message(for account: AccountID, about question: (session: SessionID, offer: Encoded<Offer>)? = nil) -> Encoded<M1> {
            Encoded(M1(accountID: account, attempt: attempt, payload: self.question.payload, sealed: sealed.bytes, about: question))
        }

        /// What the second-factor server sealed into an answer; nil when it sealed nothing.
        package func evaluation(in answer: [UInt8], of server: KnownServer, at time: Instant) throws -> SecondFactorEvaluation? {
            guard !answer.isEmpty else { return nil }
            return try SecondFactorEvaluation(decoding: server.open(answer, of: sealed, at: time).body)
        }
    }

    /// The blinded element of one try, as it looks from outside: any element that was not asked before.
    package static func blinded() throws -> [UInt8] { try OPRFKey.generate().publicKey }

    /// - Parameters:
    ///   - sessionHash: of a login; an operation is hashed as it is.
    ///   - instance: another one than the phone's own.
    package func question(
        _ context: SecondFactorContext = .verify, sessionHash: [UInt8]? = nil, payload: [UInt8] = [], id: AttemptID? = nil, blinded: [UInt8]? = nil,
        epoch: UInt32 = 1, instance: InstanceID? = nil
    ) throws -> Question {
        Question(
            id: id ?? AttemptID(using: random), context: context,
            sessionHash: sessionHash ?? (context == .verify ? random.bytes(32) : operationHash(context, payload, epoch: epoch)), payload: payload,
            blinded: try blinded ?? Self.blinded(), epoch: epoch, instance: instance ?? self.instance)
    }

    package func operationHash(_ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32 = 1) -> [UInt8] {
        Transcript.operation(context, instance: instance, epoch: epoch, payload: payload)
    }

    /// - Parameter ephemeral: of the request that the try goes with.
    package func ask(_ question: Question, of server: KnownServer, _ ephemeral: EphemeralKey, at time: Instant) throws -> Asked {
        let sealed = try server.seal(question.blinded, ephemeral, at: time)
        let attempt = Attempt(
            instanceID: question.instance, attemptID: question.id, sessionHash: question.sessionHash, context: question.context,
            epoch: question.epoch, blindedHash: SHA(question.blinded), sealedHash: SHA(sealed.bytes), ephemeralHash: SHA(ephemeral.publicKey),
            madeAt: time)
        return Asked(question: question, attempt: try sign(attempt), sealed: sealed)
    }

    /// sfSig: what only the right PIN lets a phone sign.
    package func proof(of question: Question) -> [UInt8] {
        edwardsSignature(
            secondFactorKey, .secondFactorProof,
            Transcript.secondFactorProof(
                instance: instance, attempt: question.id, context: question.context, sessionHash: question.sessionHash))
    }

    /// What the opened box signs: sfSig of a PIN that was verified, or of one that is set.
    package func signature(of question: Question, evaluationKey: [UInt8]?) throws -> [UInt8] {
        guard question.context.setsPIN else { return proof(of: question) }
        guard let evaluationKey else { throw NotEvaluated() }
        return setProof(of: question, evaluationKey: evaluationKey)
    }

    /// A PIN cannot be set without the key that evaluated it.
    package struct NotEvaluated: Error {}

    /// sfSig of a PIN that is set, over the new keys.
    package func setProof(of question: Question, evaluationKey: [UInt8]) -> [UInt8] {
        edwardsSignature(
            secondFactorKey, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: instance, attempt: question.id, context: question.context, sessionHash: question.sessionHash, evaluationKey: evaluationKey,
                secondFactorKey: secondFactorPublicKey))
    }
}
