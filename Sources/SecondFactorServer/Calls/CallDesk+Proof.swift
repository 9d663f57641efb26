import Logging
import OstiaryProtocol
import SecondFactor

extension CallDesk.Desk {
    /// "SFS on Proof" (protocol §7). The receipt is signed before the transaction, from facts that the transaction asks for again.
    func answer(_ proof: Encoded<Proof>) async throws -> SecondFactorAnswer {
        do {
            let checked = try CheckedProof.check(proof, from: caller, at: now)
            let situation = try await store.situation(of: proof.value.instanceID, attempt: proof.value.attemptID)
            if let known = ProofRules.repeated(checked, in: situation, at: now, under: policy) {
                return try answer(proof.value, known)
            }
            let proven = try checked.proved(in: situation)
            let receipt = Encoded(proven.receipt(at: now), signedBy: identity.operatorKey)
            return try answer(proof.value, try await store.complete(proven, receipt: receipt.bytes, at: now))
        } catch let refusal as ProofRefusal {
            return try answer(proof.value, .refused(refusal, .unknown))
        }
    }

    private func answer(_ proof: Proof, _ outcome: ProofOutcome) throws -> SecondFactorAnswer {
        switch outcome {
        case .refused(let refusal, let standing):
            log("proof", proof.instanceID, "\(refusal)")
            return SecondFactorAnswer(
                attemptID: proof.attemptID, status: refusal.status, highest: standing.highest, epoch: standing.epoch, tries: standing.tries)
        case .proved(let receipt, let standing):
            log("proof", proof.instanceID, "proved", level: .debug)
            return SecondFactorAnswer(
                attemptID: proof.attemptID, status: .ok, highest: standing.highest, epoch: standing.epoch, tries: standing.tries,
                receipt: try Encoded(decoding: receipt))
        }
    }
}
