import OstiaryProtocol

/// What proofs do to the rows. Of many at once with one attempt, one changes anything and all get its receipt.
package struct ProofService: Sendable {
    private let store: any SecondFactorStore
    private let policy: Policy

    package init(store: any SecondFactorStore, policy: Policy) {
        self.store = store
        self.policy = policy
    }

    /// What became of a proof.
    private struct Taken: PerhapsReliedOn {
        let outcome: ProofOutcome
        let isReliedOn: Bool
    }

    /// Takes the proof of an attempt that was evaluated (``ProofRules``).
    ///
    /// That of a VERIFY is written softly: lost, it is as if the proof had never come, and the receipt at the caller gives back what it gave (protocol §7).
    /// - Parameter seconds: for which the clock has gone on without a leap.
    package func complete(
        _ proof: ProvenProof, at now: Instant, steadyFor seconds: UInt64 = 0, signing: @escaping SignReceipt
    ) async throws -> ProofOutcome {
        let (policy, message) = (policy, proof.checked.proof)
        let take = { @Sendable (rows: any SecondFactorRows, _: Taken?) throws -> Taken in
            let situation = try rows.situation(of: message.instanceID, attempt: message.attemptID, steadyFor: seconds)
            let ruling = ProofRules.decide(proof, in: situation, at: now, under: policy, signing: signing)
            let isReliedOn = !ruling.changes.isEmpty && ProofRules.isReliedOn(proof, in: situation)
            return Taken(outcome: try rows.apply(ruling), isReliedOn: isReliedOn)
        }
        guard message.context == .verify else { return try await store.write(take).outcome }
        return try await store.writeAsReliedOn(take).outcome
    }

    /// Takes a biometric on its own (``BiometricRules``).
    package func complete(_ proof: ProvenBiometric, at now: Instant, signing: @escaping SignReceipt) async throws -> ProofOutcome {
        let (policy, attempt) = (policy, proof.attempt)
        return try await store.write { rows in
            let situation = try rows.situation(of: attempt.instanceID, attempt: attempt.attemptID)
            return try rows.apply(BiometricRules.decide(proof, in: situation, at: now, under: policy, signing: signing))
        }
    }
}
