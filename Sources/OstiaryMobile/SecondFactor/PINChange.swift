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
            try reread()
            let former = try known().instance(next.id)?.change
            let rules = NewPIN.Rules(policy: next.pinPolicy?.policy ?? .standard, last: voucher.pin)
            // A PIN vouches with the key that it opened, which stays; a feature opened nothing, so the key is a new one.
            return try await self.set(pin, for: set.challenge, by: rules, master: voucher.proof.master) { new throws(OstiaryError) in
                try await deliver(new, over: former, by: voucher, set.challenge)
            }
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

    /// From the moment its box is stored, whichever of the two PINs the servers count can be opened.
    /// - Parameter former: what an earlier change left, as it was when the servers had not yet evaluated this one.
    private func deliver(
        _ new: NewPIN, over former: StoredPINChange?, by voucher: Voucher, _ challenge: FactorChallenge
    ) async throws(OstiaryError) -> Round<Void> {
        var proof = FactorProof(
            attempt: new.attempt, method: voucher.proof.master == nil ? .bio : .pin, secondFactorSignature: new.signature)
        if let info = voucher.info {
            switch await signature(of: new.attempt, new.stamp, challenge, asking: info) {
            case .success(let signature): proof.biometricSignature = signature
            case .failure(.cancelled), .failure(.notConfirmed): return .again(.failed)
            case .failure(.unavailable): return .over(.biometricsUnavailable)
            case .failure(.changed):
                try dropBiometrics(of: challenge.instance.id)
                return .over(.biometricsChanged)
            }
        }
        try checkNotAborted()
        let change = StoredPINChange(epoch: challenge.instance.epoch, box: StoredBytes(new.box.encoded))
        // The servers forgot an earlier new PIN when they evaluated this one, so its box may go; not one that another process has come to since.
        let isOurs = try write { (state) throws(OstiaryError) in
            guard state.instance(challenge.instance.id)?.change == former else { return false }
            state.setInstance(challenge.instance.id) { $0.change = change }
            return true
        }
        guard isOurs else { return .over(.flowInProgress) }
        return try await finish(challenge, proof, change, newKey: new.publicKey)
    }

    /// An outcome that cannot be heard of ends the flow: the next use of a PIN finds out which one counts.
    private func finish(
        _ challenge: FactorChallenge, _ proof: FactorProof, _ change: StoredPINChange, newKey: [UInt8]
    ) async throws(OstiaryError) -> Round<Void> {
        switch try await complete(challenge, proof, newKey: newKey) {
        case .declined(let status):
            return .over(status == .secondFactorUnavailable || status == .busy ? .secondFactorUnavailable : OstiaryError(status))
        case .done(let done):
            guard done.epoch == challenge.instance.epoch else { throw .serverAnswer }
            try write { (state) throws(OstiaryError) in state.setInstance(challenge.instance.id) { $0.adopt(change) } }
            rememberSuccess(.pin, of: challenge)
            remember(withoutPINLeft: done.withoutPINLeft, of: challenge)
            return .done(())
        }
    }
}
