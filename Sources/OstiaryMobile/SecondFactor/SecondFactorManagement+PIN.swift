import Crypto
import OstiaryProtocol

/// Changing the PIN: the one so far, or a biometric feature, vouches; the new one gets a box of its own for the next epoch, which is stored beside
/// the old one before the servers hear of it (protocol §7).
extension Engine {
    /// Who vouched for the change, and with what.
    private struct Voucher {
        let proof: FactorProof
        /// The PIN that was verified.
        let pin: LockedBytes?
        let info: BiometricInfo?
    }

    func changePIN(_ factor: ManagedFactor, _ id: Session.ID, _ asking: ManagementQuestions) async throws(OstiaryError) {
        let verifying = asking.open(
            try await challenge(
                .pinChangeVerify, factor, id, payload: [], acceptsBiometrics: !configuration.disallowPinChangeWithBiometric),
            place: .first)
        let voucher = try await vouch(verifying)
        // The box of another epoch than was thought may have opened.
        var next = verifying.challenge.instance
        next.epoch += 1
        let set = asking.open(
            try await challenge(
                .pinChangeSet, ManagedFactor(account: factor.account, instance: next), id, payload: voucher.proof.attempt.bytes),
            place: .last)
        try await ask(set) { (input) async throws(OstiaryError) -> Round<Void> in
            guard case .pin(let pin) = input else {
                complain(.wrongOrder, about: set.challenge)
                return .again(nil)
            }
            if let refusal = Self.refusal(of: pin, next.pinPolicy?.policy ?? .standard) ?? Self.refusal(of: pin, after: voucher.pin) {
                complain(refusal, about: set.challenge)
                return .again(.failed)
            }
            return try await self.set(pin, by: voucher, set.challenge)
        }
    }

    private func vouch(_ question: OpenQuestion) async throws(OstiaryError) -> Voucher {
        try await ask(question) { (input) async throws(OstiaryError) -> Round<Voucher> in
            let round: Round<FactorProof> = try await prove(input, question) { proof throws(OstiaryError) in
                switch try await complete(question.challenge, proof) {
                case .declined(let status): return .declined(status)
                case .done: return .done(proof)
                }
            }
            switch (round, input) {
            case (.done(let proof), .pin(let pin)), (.done(let proof), .both(let pin, _)): return .done(Voucher(proof: proof, pin: pin, info: nil))
            case (.done(let proof), .biometrics(let info)): return .done(Voucher(proof: proof, pin: nil, info: info))
            case (.again(let result), _): return .again(result)
            case (.over(let error), _): return .over(error)
            }
        }
    }

    private static func refusal(of pin: LockedBytes, after last: LockedBytes?) -> OstiaryError? {
        last?.matches(pin) == true ? .pinUnchanged : nil
    }

    /// One new PIN. From the moment its box is stored, whichever of the two the servers count can be opened.
    private func set(_ pin: LockedBytes, by voucher: Voucher, _ challenge: Challenge) async throws(OstiaryError) -> Round<Void> {
        // A new try each time: what is sealed under its key is sealed once.
        let attempt = try await makeTry(pin, for: challenge, unsettled: nil, parameters: .standard)
        switch try await evaluate(attempt, for: challenge, pinnedKey: nil) {
        case .unavailable: return .again(.error)
        case .penalised, .blocked: throw .serverAnswer
        case .otherEpoch: return .over(.refused)
        case .counted(let evaluation):
            guard let share = evaluation.serverShare else { throw .serverAnswer }
            // A PIN vouches with the key that it opened, which stays; a feature opened nothing, so the key is a new one.
            let master = voucher.proof.master ?? SecretBytes(random.bytes(32))
            var proof = try proof(setting: challenge, attempt.attempt, master, evaluation, voucher.proof.master == nil ? .bio : .pin)
            if let info = voucher.info {
                switch await signature(of: attempt.attempt, evaluation.stamp, challenge, asking: info) {
                case .success(let signature): proof.signed.biometricSignature = signature
                case .failure(.cancelled), .failure(.notConfirmed): return .again(.failed)
                case .failure(.unavailable): return .over(.biometricsUnavailable)
                case .failure(.changed):
                    try dropBiometrics(of: challenge.instance.id)
                    return .over(.biometricsChanged)
                }
            }
            try checkNotAborted()
            let box = try PINComputation.seal(master, attempt.stretched, serverShare: share, evaluation)
            let change = StoredPINChange(epoch: challenge.instance.epoch, box: StoredBytes(box.encoded))
            // The servers forgot an earlier new PIN when they evaluated this one, so its box may go.
            try write { (state) throws(OstiaryError) in state.setInstance(challenge.instance.id) { $0.change = change } }
            return try await finish(challenge, proof)
        }
    }

    /// An outcome that cannot be heard of ends the flow: the next use of a PIN finds out which one counts.
    private func finish(_ challenge: Challenge, _ proof: (signed: FactorProof, key: [UInt8])) async throws(OstiaryError) -> Round<Void> {
        switch try await complete(challenge, proof.signed, newKey: proof.key) {
        case .declined(let status):
            return .over(status == .secondFactorUnavailable || status == .busy ? .secondFactorUnavailable : OstiaryError(status))
        case .done(let done):
            guard done.epoch == challenge.instance.epoch else { throw .serverAnswer }
            try write { (state) throws(OstiaryError) in
                state.setInstance(challenge.instance.id) { if $0.change?.epoch == done.epoch { $0.adoptChange() } }
            }
            rememberSuccess(.pin, of: challenge)
            remember(withoutPINLeft: done.withoutPINLeft, of: challenge)
            return .done(())
        }
    }

    /// The signature by the key in the new box, over the key of its evaluation as well.
    private func proof(
        setting challenge: Challenge, _ attempt: AttemptID, _ master: SecretBytes, _ evaluation: Evaluation, _ method: Methods
    ) throws(OstiaryError) -> (signed: FactorProof, key: [UInt8]) {
        let key = try PINComputation.key(master)
        let publicKey = Array(key.publicKey.rawRepresentation)
        let signature = edwardsSignature(
            key, .secondFactorSet,
            Transcript.secondFactorSet(
                instance: challenge.instance.id, attempt: attempt, context: challenge.context, sessionHash: challenge.sessionHash,
                evaluationKey: evaluation.evaluationKey, secondFactorKey: publicKey))
        return (FactorProof(attempt: attempt, method: method, secondFactorSignature: signature), publicKey)
    }
}
