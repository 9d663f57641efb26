import OstiaryProtocol

/// What a message shows of a second factor: for what, by which methods, and their signatures. Nothing of it is believed before `proof`.
struct ShownFactor: Sendable {
    let attempt: AttemptID
    let context: SecondFactorContext
    let sessionHash: [UInt8]
    let payload: [UInt8]
    let method: Methods
    let secondFactorSignature: [UInt8]?
    let biometricSignature: [UInt8]?
    /// Of a biometric on its own, which had no M1.
    let ownAttempt: Encoded<Attempt>?

    private static let zeros = [UInt8](repeating: 0, count: 32)

    /// The proof to hand on. Every signature is verified here too, so that a second-factor server alone can accept nothing (threat T11).
    func proof(by account: Account, of instance: Instance, _ request: PhoneRequest) throws(Refusal) -> SecondFactorProof {
        switch (method, secondFactorSignature, biometricSignature, ownAttempt) {
        case (.pin, let signature?, nil, nil):
            let epoch = try instance.epochTried()
            try epoch.verify(signature, of: self, in: instance.id, request)
            return made(instance, epoch)
        case ([.pin, .bio], let signature?, let biometric?, nil):
            // Only of the newest attempt it is known when it was made.
            guard let evaluated = instance.evaluated, evaluated.id == attempt else { throw .attemptMismatch }
            let epoch = try instance.epochTried()
            try epoch.verify(signature, of: self, in: instance.id, request)
            try verify(biometric, of: instance, madeAt: evaluated.madeAt, request)
            return made(instance, epoch)
        case (.bio, nil, let biometric?, let own?):
            let epoch = try check(own, by: account, of: instance, request)
            try verify(biometric, of: instance, madeAt: own.value.madeAt, request)
            var proof = made(instance, epoch)
            proof.ticket = Ticket(
                serverID: request.server, sequence: instance.sequence.last, issuedAt: request.now, payload: payload, attempt: own)
            return proof
        default: throw .methodNotAllowed
        }
    }

    private func made(_ instance: Instance, _ epoch: Instance.Epoch) -> SecondFactorProof {
        SecondFactorProof(
            server: instance.server, instance: instance.id, attempt: attempt, sessionHash: sessionHash, context: context, method: method,
            epoch: epoch.number, secondFactorKey: epoch.secondFactorKey, secondFactorSignature: secondFactorSignature,
            biometricSignature: biometricSignature, number: instance.sequence.number(of: attempt), receipts: instance.receipts)
    }

    /// The Attempt that comes with the biometric itself: the same try, made now, by this account's device, over nothing blinded or sealed.
    private func check(
        _ own: Encoded<Attempt>, by account: Account, of instance: Instance, _ request: PhoneRequest
    ) throws(Refusal) -> Instance.Epoch {
        let value = own.value
        guard value.instanceID == instance.id, value.attemptID == attempt, value.context == context else { throw .attemptMismatch }
        guard value.blindedHash == Self.zeros, value.sealedHash == Self.zeros, value.ephemeralHash == SHA(request.ephemeral)
        else { throw .attemptMismatch }
        guard value.sessionHash == sessionHash else { throw .sessionHashWrong }
        guard value.madeAt.distance(to: request.now) <= PhoneRequest.window else { throw .clockOff }
        try request.verify(own, by: account.deviceKey)
        guard let epoch = instance.epoch(value.epoch) else { throw .attemptMismatch }
        return epoch
    }

    /// Throws unless the biometric key of the instance signed this attempt of that time.
    func verify(_ signature: [UInt8], of instance: Instance, madeAt: Instant, _ request: PhoneRequest) throws(Refusal) {
        guard let key = instance.biometricKey else { throw .methodNotAllowed }
        let content = Transcript.biometric(
            instance: instance.id, attempt: attempt, context: context, sessionHash: sessionHash, madeAt: madeAt)
        let holds = request.signatures.holds(signature + content, .bio, by: key) { try DevicePublicKey(key).verify(signature, .bio, content) }
        guard holds else { throw .biometricSignatureWrong }
    }
}

extension Instance.Epoch {
    /// Throws unless the opened box signed this attempt.
    func verify(_ signature: [UInt8], of shown: ShownFactor, in instance: InstanceID, _ request: PhoneRequest) throws(Refusal) {
        let content = Transcript.secondFactorProof(
            instance: instance, attempt: shown.attempt, context: shown.context, sessionHash: shown.sessionHash)
        let holds = request.signatures.holds(signature + content, .secondFactorProof, by: secondFactorKey) {
            try EdwardsPublicKey(stored: secondFactorKey).verify(signature, .secondFactorProof, content)
        }
        guard holds else { throw .secondFactorSignatureWrong }
    }
}
