import OstiaryProtocol

extension CallContext {
    /// "At the SFS, on a Proof" (protocol §7). With a ticket in it, it is a biometric on its own.
    /// - Parameter receipts: the newest that the caller holds.
    func answer(_ proof: Encoded<Proof>, receipts: [Encoded<Receipt>]) async throws -> CallReply {
        do {
            let outcome = try await proof.value.ticket == nil ? evaluated(proof) : biometric(proof, receipts)
            return try answer(proof.value, outcome)
        } catch let refusal as ProofRefusal {
            let isByClock = refusal == .notSigned && proof.value.ticket.map(isOfAnotherClock) == true
            return try answer(proof.value, .refused(isByClock ? .clock : refusal, .unknown))
        }
    }

    /// The proof of an attempt that was counted and evaluated.
    private func evaluated(_ proof: Encoded<Proof>) async throws -> ProofOutcome {
        let checked = try CheckedProof.check(proof, from: caller, at: now)
        let situation = try await store.situation(of: proof.value.instanceID, attempt: proof.value.attemptID, steadyFor: steadyFor)
        if let known = ProofRules.repeated(checked, in: situation, at: now, under: policy) { return known }
        let proven = try checked.proved(in: situation)
        let signer = ReceiptSigner(keys.operatorKey)
        _ = ProofRules.decide(proven, in: situation, at: now, under: policy, signing: signer.sign)
        return try await service.proofs.complete(proven, at: now, steadyFor: steadyFor, signing: signer.sign)
    }

    private func biometric(_ proof: Encoded<Proof>, _ receipts: [Encoded<Receipt>]) async throws -> ProofOutcome {
        let checked = try CheckedBiometric.check(proof, from: caller, at: now)
        let situation = try await store.situation(of: proof.value.instanceID, attempt: proof.value.attemptID)
        if let known = BiometricRules.repeated(checked, in: situation, at: now, under: policy) { return known }
        let proven = try checked.proved(in: situation, receipt: facts(of: receipts, for: checked.ticket, situation.instance))
        let signer = ReceiptSigner(keys.operatorKey)
        _ = BiometricRules.decide(proven, in: situation, at: now, under: policy, signing: signer.sign)
        return try await service.proofs.complete(proven, at: now, signing: signer.sign)
    }

    private func answer(_ proof: Proof, _ outcome: ProofOutcome) throws -> CallReply {
        switch outcome {
        case .refused(let refusal, let standing):
            return CallReply(
                answer: SecondFactorAnswer(
                    attemptID: proof.attemptID, status: refusal.status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries),
                record: record(.proof, proof.instanceID, "\(refusal)", context: proof.context, methods: proof.method))
        case .proved(let receipt, let standing):
            return CallReply(
                answer: SecondFactorAnswer(
                    attemptID: proof.attemptID, status: .ok, highest: standing.highest, epoch: standing.epoch, tries: standing.tries,
                    receipt: try Encoded(decoding: receipt)),
                record: record(.proof, proof.instanceID, "proved", context: proof.context, methods: proof.method))
        }
    }

    /// What our receipts prove. Most tell what the rows know; only those that tell more are worth verifying.
    func facts(of receipts: [Encoded<Receipt>], for ticket: Ticket, _ instance: Instance?) -> ReceiptFacts? {
        guard let instance else { return nil }
        return receipts.filter { instance.counter.learns(from: $0.value) }
            .compactMap { ReceiptFacts($0, for: ticket, signedBy: keys.receiptKeys) }
            .reduce(nil) { $0?.joined(with: $1) ?? $1 }
    }
}
