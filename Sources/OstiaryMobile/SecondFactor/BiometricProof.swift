import OstiaryProtocol

/// Proving the second factor by a biometric feature alone, and by its signature beside a PIN (protocol §7).
extension Engine {
    /// One round: a prompt, and one message to the servers. The second of two is for a clock that was wrong, or another epoch than was thought.
    func prove<Value>(
        _ info: BiometricInfo, _ question: OpenQuestion, _ deliver: (FactorProof) async throws(OstiaryError) -> Delivered<Value>
    ) async throws(OstiaryError) -> Round<Value> {
        var isFirst = true
        while true {
            let attempt = try makeAttempt(question)
            let signature: [UInt8]
            switch await self.signature(of: attempt.value.attemptID, attempt.value.madeAt, question.challenge, asking: info) {
            case .success(let made): signature = made
            case .failure(let error): return try failed(error, question)
            }
            try checkNotAborted()
            let proof = FactorProof(
                attempt: attempt.value.attemptID, method: .bio, biometricSignature: signature, biometricAttempt: attempt)
            switch try await deliver(proof) {
            case .done(let value):
                rememberSuccess(.bio, of: question.challenge)
                return .done(value)
            case .declined(.clock) where isFirst: question.attempt = nil
            case .declined(.wrongEpoch) where isFirst:
                guard try adoptChange(question) else { return .over(.secondFactorUnknown) }
            case .declined(let status): return declined(status, .bio, question)
            }
            isFirst = false
        }
    }

    /// The signature of the biometric key, after the system asked the person.
    func signature(
        of attempt: AttemptID, _ stamp: Instant, _ challenge: FactorChallenge, asking info: BiometricInfo
    ) async -> Result<[UInt8], BiometricError> {
        guard let key = stored?.instance(challenge.instance.id)?.biometrics else { return .failure(.unavailable) }
        let transcript = Transcript.biometric(
            instance: challenge.instance.id, attempt: attempt, context: challenge.context, sessionHash: challenge.sessionHash, madeAt: stamp)
        do throws(BiometricError) {
            return .success(try await ports.keys.sign(signatureInput(.bio, transcript), withBiometricKeyNamed: key.keyName, asking: info))
        } catch {
            return .failure(error)
        }
    }

    /// A prompt that gave no signature costs nothing; a key that the system ended is taken out, and the app told once.
    func failed<Value>(_ error: BiometricError, _ question: OpenQuestion) throws(OstiaryError) -> Round<Value> {
        switch error {
        case .cancelled, .notConfirmed: break
        case .unavailable: complain(.biometricsUnavailable, about: question.challenge)
        case .changed:
            try dropBiometrics(of: question.challenge.instance.id)
            complain(.biometricsChanged, about: question.challenge)
        }
        return .again(.failed)
    }

    func dropBiometrics(of id: InstanceID) throws(OstiaryError) {
        try write { (state) throws(OstiaryError) in state.dropBiometrics(of: id, all: true) }
        destroyDiscarded()
    }

    /// The Attempt of this question that has no outcome yet, or a new one: a biometric on its own evaluates nothing.
    private func makeAttempt(_ question: OpenQuestion) throws(OstiaryError) -> Encoded<Attempt> {
        let challenge = question.challenge
        let now = now(at: challenge.rootHash)
        if let open = question.attempt, open.value.madeAt.distance(to: now) < PINTry.longestLife { return open }
        let nothing = [UInt8](repeating: 0, count: 32)
        let attempt = try sign(
            Attempt(
                instanceID: challenge.instance.id, attemptID: AttemptID(using: random), sessionHash: challenge.sessionHash,
                context: challenge.context, epoch: challenge.instance.epoch, blindedHash: nothing, sealedHash: nothing,
                ephemeralHash: SHA(challenge.ephemeral.publicKey), madeAt: now),
            with: challenge.keyName)
        question.attempt = attempt
        return attempt
    }

    private func adoptChange(_ question: OpenQuestion) throws(OstiaryError) -> Bool {
        try reread()
        guard let instance = try known().instance(question.challenge.instance.id) else { return false }
        return try adopt(instance.change?.epoch ?? instance.epoch, question)
    }
}
