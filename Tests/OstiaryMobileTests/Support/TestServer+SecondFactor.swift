import OstiaryMobile
import OstiaryProtocol

extension TestServer {
    /// M1: counted, then evaluated; the same attempt again gets the first outcome.
    func evaluate(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try M1(decoding: opened.message)
        let attempt = message.attempt.value
        seenAttempts.append(attempt.attemptID)
        guard !mishaps.isSecondFactorDown else { return (.secondFactorUnavailable, []) }
        guard attempt.ephemeralHash == SHA(opened.ephemeral), attempt.sealedHash == SHA(message.sealed) else { return (.refused, []) }
        let inner = try OpenedRequest(message.sealed, with: secondFactor.prekey)
        guard inner.ephemeral == opened.ephemeral, attempt.blindedHash == SHA(inner.message) else { return (.refused, []) }
        if let known = attempts[attempt.attemptID] {
            guard known.blinded == inner.message else { return (.refused, []) }
            return try sealed(known.evaluation, inner, share(of: attempt))
        }
        heard[attempt.attemptID] = (attempt, message.payload)
        switch attempt.context {
        case .firstSet: return try setFirst(message, inner)
        case .pinChangeSet: return try setNext(message, inner)
        case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify: return try verify(message, inner)
        }
    }

    private func setFirst(_ message: M1, _ inner: OpenedRequest) throws -> (Status, [UInt8]) {
        let attempt = message.attempt.value
        // Of the enrolments of one account that which is named: a headless one has two.
        let claims = enrolments.values.compactMap(\.claim).filter { $0.account == message.accountID }
        guard let claim = claims.first(where: { message.payload == $0.deviceKey + $0.hash }) else { return (.refused, []) }
        try message.attempt.verify(by: try key(claim.deviceKey))
        let key = try OPRFKey.generate()
        firstSets[attempt.attemptID] = key
        let evaluation = SecondFactorEvaluation(
            attemptID: attempt.attemptID, evaluation: try key.evaluate(inner.message, attempt: attempt.attemptID), evaluationKey: key.publicKey,
            tries: .none)
        attempts[attempt.attemptID] = (inner.message, evaluation)
        return try sealed(evaluation, inner, nil)
    }

    private func verify(_ message: M1, _ inner: OpenedRequest) throws -> (Status, [UInt8]) {
        let attempt = message.attempt.value
        let account = try account(message.accountID)
        try message.attempt.verify(by: try key(account.deviceKey))
        if attempt.context == .verify {
            try checkOffer(message.offer, of: message.sessionID, for: message.accountID, attempt.sessionHash, by: inner.ephemeral)
        }
        guard var instance = instances[attempt.instanceID], attempt.instanceID == account.instance else { return (.secondFactorUnknown, []) }
        guard attempt.epoch == instance.epoch else {
            return (.wrongEpoch, M2(epoch: instance.epoch, tries: tries(instance), serverShare: nil, sealed: []).encoded)
        }
        guard instance.failed < 5 else { return (.blocked, M2(epoch: instance.epoch, tries: tries(instance), serverShare: nil, sealed: []).encoded) }
        guard now.seconds >= instance.penaltyUntil else {
            return (.penalised, M2(epoch: instance.epoch, tries: tries(instance), serverShare: nil, sealed: []).encoded)
        }
        instance.highest += 1
        instance.penaltyUntil = now.seconds + UInt64(settings.penalties[min(instance.failed, 5) - 1])
        instances[attempt.instanceID] = instance
        let key = mishaps.usesWrongEvaluationKey ? try OPRFKey.generate() : instance.key
        let evaluation = SecondFactorEvaluation(
            attemptID: attempt.attemptID, evaluation: try key.evaluate(inner.message, attempt: attempt.attemptID), evaluationKey: nil,
            tries: tries(instance))
        attempts[attempt.attemptID] = (inner.message, evaluation)
        return try sealed(evaluation, inner, instance.share)
    }

    private func share(of attempt: Attempt) -> [UInt8]? {
        switch attempt.context {
        case .firstSet: nil
        case .pinChangeSet: instances[attempt.instanceID]?.pending?.share
        case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify: instances[attempt.instanceID]?.share
        }
    }

    func tries(_ instance: Instance) -> Tries {
        let wait = instance.penaltyUntil > now.seconds ? instance.penaltyUntil - now.seconds : 0
        return Tries(failed: UInt8(instance.failed), most: 5, wait: UInt32(wait), withoutPINLeft: left(instance))
    }

    func left(_ instance: Instance) -> UInt16 {
        settings.mostWithoutPIN.map { UInt16(max(0, $0 - instance.withoutPIN)) } ?? Tries.unlimited
    }

    func sealed(_ evaluation: SecondFactorEvaluation, _ inner: OpenedRequest, _ share: [UInt8]?) throws -> (Status, [UInt8]) {
        let bytes = try sealedAsTold(evaluation, inner)
        return (.ok, M2(epoch: 1, tries: evaluation.tries, serverShare: share, sealed: bytes).encoded)
    }
}
