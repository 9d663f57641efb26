import OstiaryMobile
import OstiaryProtocol

/// A second factor as L5 and M3 show it.
struct ShownFactor {
    let instance: InstanceID
    let attempt: AttemptID
    let context: SecondFactorContext
    let sessionHash: [UInt8]
    let method: Methods
    let biometricAttempt: Encoded<Attempt>?
    let secondFactorSignature: [UInt8]?
    let biometricSignature: [UInt8]?
}

extension TestServer {
    /// Checks a PIN, a biometric or both, and counts them.
    func check(_ shown: ShownFactor) throws {
        guard !mishaps.isSecondFactorDown else { throw Status.secondFactorUnavailable }
        let instance = try present(instances[shown.instance])
        if shown.method.contains(.pin) {
            let signed = Transcript.secondFactorProof(
                instance: shown.instance, attempt: shown.attempt, context: shown.context, sessionHash: shown.sessionHash)
            try EdwardsPublicKey(instance.secondFactorKey).verify(try present(shown.secondFactorSignature), .secondFactorProof, signed)
            if shown.method.contains(.bio) { try checkBiometric(shown, at: try present(heard[shown.attempt]).attempt.madeAt) }
            prove(shown.instance)
        } else {
            try checkAlone(shown, instance)
        }
        approvals.append(shown.method)
    }

    private func checkAlone(_ shown: ShownFactor, _ instance: Instance) throws {
        let attempt = try present(shown.biometricAttempt).value
        let nothing = [UInt8](repeating: 0, count: 32)
        guard attempt.attemptID == shown.attempt, attempt.instanceID == shown.instance, attempt.sessionHash == shown.sessionHash,
            attempt.context == shown.context, attempt.blindedHash == nothing, attempt.sealedHash == nothing
        else { throw Status.refused }
        guard attempt.madeAt.distance(to: now) <= 120 else { throw Status.clock }
        guard attempt.epoch == instance.epoch else { throw Status.wrongEpoch }
        try checkBiometric(shown, at: attempt.madeAt)
        guard left(instance) > 0 else { throw Status.pinRequired }
        guard instance.highest - instance.pinProven < 100 else { throw Status.blocked }
        instances[shown.instance]?.proven = instance.highest
        instances[shown.instance]?.penaltyUntil = 0
        instances[shown.instance]?.withoutPIN += 1
    }

    func checkBiometric(_ shown: ShownFactor, at stamp: Instant) throws {
        guard let key = instances[shown.instance]?.biometricKey else { throw Status.refused }
        let signed = Transcript.biometric(
            instance: shown.instance, attempt: shown.attempt, context: shown.context, sessionHash: shown.sessionHash, madeAt: stamp)
        try DevicePublicKey(key).verify(try present(shown.biometricSignature), .bio, signed)
    }

    /// M1 of PIN_CHANGE_SET: a fresh key and share for the next epoch, if a verified factor of this epoch vouches.
    func setNext(_ message: M1, _ inner: OpenedRequest) throws -> (Status, [UInt8]) {
        let attempt = message.attempt.value
        try message.attempt.verify(by: try key(account(message.accountID).deviceKey))
        let instance = try present(instances[attempt.instanceID])
        guard let voucher = AttemptID(message.payload).flatMap({ vouchers[$0] }), voucher.at.distance(to: now) < 300 else { return (.refused, []) }
        guard voucher.epoch == instance.epoch, attempt.epoch == instance.epoch + 1 else {
            return (.wrongEpoch, M2(epoch: instance.epoch, tries: tries(instance), serverShare: nil, sealed: []).encoded)
        }
        let key = try OPRFKey.generate()
        let share = instance.pending?.share ?? random.bytes(32)
        instances[attempt.instanceID]?.pending = (attempt.attemptID, key, share)
        let evaluation = SecondFactorEvaluation(
            attemptID: attempt.attemptID, evaluation: try key.evaluate(inner.message, attempt: attempt.attemptID), evaluationKey: key.publicKey,
            tries: .none)
        attempts[attempt.attemptID] = (inner.message, evaluation)
        return try sealed(evaluation, inner, share)
    }

    func complete(_ opened: OpenedRequest) throws -> (Status, [UInt8]) {
        let message = try Encoded<M3>(decoding: opened.message)
        let m3 = message.value
        try message.verify(by: try key(account(m3.accountID).deviceKey), freshness: opened.freshness)
        if let done = completed[m3.attemptID] {
            return done.content == message.unsignedBytes ? (.ok, done.answer.encoded) : (.refused, [])
        }
        let hash = Transcript.operation(m3.context, instance: m3.instanceID, epoch: m3.epoch, payload: m3.payload)
        let shown = ShownFactor(
            instance: m3.instanceID, attempt: m3.attemptID, context: m3.context, sessionHash: hash, method: m3.method, biometricAttempt: m3.attempt,
            secondFactorSignature: m3.secondFactorSignature, biometricSignature: m3.biometricSignature)
        switch m3.context {
        case .biometricsAdd:
            guard m3.method == .pin else { return (.refused, []) }
            try check(shown)
            instances[m3.instanceID]?.biometricKey = m3.payload
        case .biometricsRemove:
            try check(shown)
            guard instances[m3.instanceID]?.biometricKey == m3.payload else { return (.refused, []) }
            instances[m3.instanceID]?.biometricKey = nil
        case .pinChangeVerify:
            try check(shown)
            vouchers[m3.attemptID] = (m3.epoch, m3.method.contains(.pin) ? .pin : .bio, now)
        case .pinChangeSet: try change(m3, shown)
        case .verify, .firstSet, .enrol: return (.refused, [])
        }
        let instance = try present(instances[m3.instanceID])
        let answer = M4(epoch: instance.epoch, withoutPINLeft: left(instance))
        completed[m3.attemptID] = (message.unsignedBytes, answer)
        return (.ok, answer.encoded)
    }

    private func change(_ m3: M3, _ shown: ShownFactor) throws {
        guard !mishaps.isSecondFactorDown else { throw Status.secondFactorUnavailable }
        var instance = try present(instances[m3.instanceID])
        guard let voucher = AttemptID(m3.payload).flatMap({ vouchers[$0] }), let pending = instance.pending, pending.attempt == m3.attemptID,
            voucher.epoch == instance.epoch, m3.epoch == instance.epoch + 1, m3.method == voucher.method
        else { throw Status.refused }
        let newKey = try present(m3.secondFactorKey)
        let signed = Transcript.secondFactorSet(
            instance: m3.instanceID, attempt: m3.attemptID, context: .pinChangeSet, sessionHash: shown.sessionHash,
            evaluationKey: pending.key.publicKey, secondFactorKey: newKey)
        try EdwardsPublicKey(newKey).verify(try present(m3.secondFactorSignature), .secondFactorSet, signed)
        if m3.method == .pin {
            guard newKey == instance.secondFactorKey else { throw Status.refused }
        } else {
            try checkBiometric(shown, at: try present(heard[m3.attemptID]).attempt.madeAt)
        }
        instance.key = pending.key
        instance.share = pending.share
        instance.secondFactorKey = newKey
        instance.epoch = m3.epoch
        instance.pending = nil
        instance.withoutPIN = 0
        instances[m3.instanceID] = instance
    }
}
