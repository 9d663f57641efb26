import OstiaryProtocol

/// M3: operations on the second factor that belong to no session.
extension RawPhone {
    /// What an M3 says, and the key of the exchange that its try went with.
    package struct Change: Sendable {
        package var context: SecondFactorContext
        package var payload: [UInt8] = []
        package var method: Methods = .pin
        package var epoch: UInt32 = 1
        package var attempt: AttemptID
        package var secondFactorKey: [UInt8]?
        package var ownAttempt: Encoded<Attempt>?
        package var secondFactorSignature: [UInt8]?
        package var biometricSignature: [UInt8]?
        package var account: AccountID?
        package var instance: InstanceID?
        package let ephemeral: EphemeralKey
    }

    /// M3.
    package func changing(_ change: Change, of account: AccountID, at time: Instant) throws -> Encoded<M3> {
        try fresh(
            M3(
                accountID: change.account ?? account, instanceID: change.instance ?? instance, attemptID: change.attempt, context: change.context,
                method: change.method, epoch: change.epoch, payload: change.payload, secondFactorKey: change.secondFactorKey,
                attempt: change.ownAttempt, secondFactorSignature: change.secondFactorSignature, biometricSignature: change.biometricSignature),
            change.ephemeral, at: time)
    }

    /// What the right PIN makes of a try that was evaluated.
    package func proving(_ question: Question, _ ephemeral: EphemeralKey) -> Change {
        Change(
            context: question.context, payload: question.payload, epoch: question.epoch, attempt: question.id,
            secondFactorSignature: proof(of: question), ephemeral: ephemeral)
    }

    /// What a biometric makes on its own.
    package func provingByBiometric(
        _ context: SecondFactorContext, _ payload: [UInt8], epoch: UInt32, _ ephemeral: EphemeralKey, at time: Instant
    ) throws -> Change {
        let hash = operationHash(context, payload, epoch: epoch)
        let own = try sign(ownAttempt(context, hash, ephemeral, epoch: epoch, at: time))
        return Change(
            context: context, payload: payload, method: .bio, epoch: epoch, attempt: own.value.attemptID, ownAttempt: own,
            biometricSignature: try biometricSignature(of: own.value), ephemeral: ephemeral)
    }

    /// What sets a new PIN that was evaluated. A phone that opened no box for it brings a key of its own and says so by a biometric.
    package func settingPIN(_ asked: Asked, evaluationKey: [UInt8]?, _ ephemeral: EphemeralKey, byBiometric: Bool) throws -> Change {
        let question = asked.question
        return Change(
            context: question.context, payload: question.payload, method: byBiometric ? .bio : .pin, epoch: question.epoch, attempt: question.id,
            secondFactorKey: secondFactorPublicKey, secondFactorSignature: try signature(of: question, evaluationKey: evaluationKey),
            biometricSignature: byBiometric ? try biometricSignature(of: asked.attempt.value) : nil, ephemeral: ephemeral)
    }
}
