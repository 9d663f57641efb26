import OstiaryProtocol

/// "At the SFS, on a Proof by biometric alone" (protocol §7): counted, proved and done in one step.
package enum BiometricRules {
    /// The receipt of an attempt that was proved before; nil for one that was never seen.
    ///
    /// The signatures are not compared: valid ones can be changed into other valid ones, and an attempt succeeds once whatever its signature.
    package static func repeated(
        _ checked: CheckedBiometric, in situation: Situation, at now: Instant, under policy: Policy
    ) -> ProofOutcome? {
        guard let known = situation.attempt else { return nil }
        let attempt = checked.attempt
        let standing = Standing(situation.instance, at: now, under: policy)
        guard known.owner == checked.owner, known.id == attempt.attemptID, known.instanceID == attempt.instanceID,
            known.sessionHash == attempt.sessionHash, known.purpose == checked.purpose, known.epoch == attempt.epoch,
            known.blindedHash == attempt.blindedHash, known.madeAt == attempt.madeAt, case .done(let completion) = known.state
        else { return .refused(.alreadyProved, standing) }
        return .proved(receipt: completion.receipt, standing)
    }

    package static func decide(
        _ proof: ProvenBiometric, in situation: Situation, at now: Instant, under policy: Policy, signing sign: SignReceipt
    ) -> Ruling<ProofOutcome> {
        if let known = repeated(proof.checked, in: situation, at: now, under: policy) { return Ruling(known) }
        do throws(ProofRefusal) {
            guard now.distance(to: proof.attempt.madeAt) <= Times.requestWindow else { throw .clock }
            var instance = try openInstance(proof, situation)
            if case .pinChangeVerify = proof.checked.purpose {
                guard !policy.disallowPINChangeWithBiometric else { throw .methodNotOffered }
            }
            try instance.proveBiometric(proof.checked.ticket.sequence, repairedBy: proof.receipt, at: now, under: policy)
            if case .biometricsRemove = proof.checked.purpose { instance.setBiometricKey(nil) }
            let standing = Standing(instance, at: now, under: policy)
            let receipt = sign(try self.receipt(proof, instance, at: now))
            let attempt = record(proof, standing, receipt, at: now)
            return Ruling(.proved(receipt: receipt, standing), [.saveInstance(instance), .saveAttempt(attempt)])
        } catch {
            return Ruling(.refused(error, Standing(situation.instance, repairedBy: proof.receipt, at: now, under: policy)))
        }
    }

    /// The instance is the caller's and open, and the keys that signed are still its keys.
    private static func openInstance(_ proof: ProvenBiometric, _ situation: Situation) throws(ProofRefusal) -> Instance {
        guard let instance = situation.instance else { throw .unknownInstance }
        guard instance.owner == proof.checked.owner else { throw .otherServer }
        guard instance.state != .closed else { throw .closed }
        guard instance.epoch == proof.attempt.epoch else { throw .wrongEpoch }
        guard instance.deviceKeys.contains(proof.deviceKey) else { throw .deviceSignature }
        guard instance.biometricKey == proof.biometricKey else { throw .noBiometricKey }
        return instance
    }

    private static func receipt(_ proof: ProvenBiometric, _ instance: Instance, at now: Instant) throws(ProofRefusal) -> Receipt {
        guard let keys = instance.openKeys else { throw .closed }
        let attempt = proof.attempt
        return Receipt(
            serverID: instance.owner.id, instanceID: instance.id, attemptID: attempt.attemptID, sessionHash: attempt.sessionHash,
            context: attempt.context, method: .bio, epoch: instance.epoch, sequence: instance.counter.highest,
            secondFactorKey: keys.secondFactorKey, signaturesHash: SHA(proof.checked.signature), withoutPIN: instance.withoutPIN,
            lastPIN: instance.lastPIN, issuedAt: now)
    }

    private static func record(_ proof: ProvenBiometric, _ standing: Standing, _ receipt: [UInt8], at now: Instant) -> AttemptRecord {
        let attempt = proof.attempt
        let completion = AttemptRecord.Completion(method: .bio, at: now, signatureHash: [], receipt: receipt)
        return AttemptRecord(
            id: attempt.attemptID, instanceID: attempt.instanceID, owner: proof.checked.owner, sessionHash: attempt.sessionHash,
            purpose: proof.checked.purpose, epoch: attempt.epoch, blindedHash: attempt.blindedHash, sequence: standing.highest,
            madeAt: attempt.madeAt, reservedAt: now, expiresAt: AttemptRecord.expiry(madeAt: attempt.madeAt, reservedAt: now),
            tries: standing.tries, state: .done(completion))
    }
}
