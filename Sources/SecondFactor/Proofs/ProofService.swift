import OstiaryProtocol

/// What proofs do to the rows. Of many at once with one attempt, one changes anything and all get its receipt.
package struct ProofService: Sendable {
    private let store: any SecondFactorStore
    private let policy: Policy

    package init(store: any SecondFactorStore, policy: Policy) {
        self.store = store
        self.policy = policy
    }

    /// Takes the proof of an attempt that was evaluated (``ProofRules``).
    /// - Parameter seconds: for which the clock has gone on without a leap.
    package func complete(
        _ proof: ProvenProof, at now: Instant, steadyFor seconds: UInt64 = 0, signing: @escaping SignReceipt
    ) async throws -> ProofOutcome {
        let (policy, message) = (policy, proof.checked.proof)
        return try await store.write { rows in
            let situation = try rows.situation(of: message.instanceID, attempt: message.attemptID, steadyFor: seconds)
            return try rows.apply(ProofRules.decide(proof, in: situation, at: now, under: policy, signing: signing))
        }
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
