import Logging
import OstiaryProtocol
import SecondFactor

extension CallDesk.Desk {
    /// "At the SFS, on a Proof" (protocol §7). With a ticket in it, it is a biometric on its own.
    /// - Parameter receipt: the newest one that the caller holds.
    func answer(_ proof: Encoded<Proof>, receipt: Encoded<Receipt>?) async throws -> SecondFactorAnswer {
        do {
            let outcome = try await proof.value.ticket == nil ? evaluated(proof) : biometric(proof, receipt)
            return try answer(proof.value, outcome)
        } catch let refusal as ProofRefusal {
            return try answer(proof.value, .refused(refusal, .unknown))
        }
    }

    /// The proof of an attempt that was counted and evaluated.
    private func evaluated(_ proof: Encoded<Proof>) async throws -> ProofOutcome {
        let checked = try CheckedProof.check(proof, from: caller, at: now)
        let situation = try await store.situation(of: proof.value.instanceID, attempt: proof.value.attemptID)
        if let known = ProofRules.repeated(checked, in: situation, at: now, under: policy) { return known }
        let proven = try checked.proved(in: situation)
        let signer = ReceiptSigner(identity.operatorKey)
        _ = ProofRules.decide(proven, in: situation, at: now, under: policy, signing: signer.sign)
        return try await store.complete(proven, at: now, signing: signer.sign)
    }

    private func biometric(_ proof: Encoded<Proof>, _ receipt: Encoded<Receipt>?) async throws -> ProofOutcome {
        let checked = try CheckedBiometric.check(proof, from: caller, at: now)
        let situation = try await store.situation(of: proof.value.instanceID, attempt: proof.value.attemptID)
        if let known = BiometricRules.repeated(checked, in: situation, at: now, under: policy) { return known }
        let proven = try checked.proved(in: situation, receipt: facts(of: receipt, for: checked.ticket, situation.instance))
        let signer = ReceiptSigner(identity.operatorKey)
        _ = BiometricRules.decide(proven, in: situation, at: now, under: policy, signing: signer.sign)
        return try await store.complete(proven, at: now, signing: signer.sign)
    }

    private func answer(_ proof: Proof, _ outcome: ProofOutcome) throws -> SecondFactorAnswer {
        switch outcome {
        case .refused(let refusal, let standing):
            log("proof", proof.instanceID, "\(refusal)", context: proof.context, factors: proof.method)
            return SecondFactorAnswer(
                attemptID: proof.attemptID, status: refusal.status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries)
        case .proved(let receipt, let standing):
            log("proof", proof.instanceID, "proved", context: proof.context, factors: proof.method)
            return SecondFactorAnswer(
                attemptID: proof.attemptID, status: .ok, highest: standing.highest, epoch: standing.epoch, tries: standing.tries,
                receipt: try Encoded(decoding: receipt))
        }
    }

    /// What our receipt proves. Most tell what the rows know; only one that tells more is worth verifying.
    func facts(of receipt: Encoded<Receipt>?, for ticket: Ticket, _ instance: Instance?) -> ReceiptFacts? {
        guard let receipt, let instance, instance.counter.learns(from: receipt.value) else { return nil }
        return ReceiptFacts(receipt, for: ticket, signedBy: identity.receiptKeys)
    }
}
