import OstiaryProtocol

/// What becomes of a proof.
package enum ProofOutcome: Equatable, Sendable {
    /// Proved now or before: the receipt as it was first sent.
    case proved(receipt: [UInt8], Standing)
    case refused(ProofRefusal, Standing)
}

/// "SFS on Proof" (protocol §7).
package enum ProofRules {
    /// The receipt of an attempt that this very proof has proved before; nil when the proof must be decided.
    package static func repeated(
        _ proof: CheckedProof, in situation: Situation, at now: Instant, under policy: Policy
    ) -> ProofOutcome? {
        guard let attempt = situation.attempt, case .done(proof.signatureHash, let receipt) = attempt.state,
            (try? checkAttempt(attempt, proof)) != nil
        else { return nil }
        return .proved(receipt: receipt, Standing(situation.instance, at: now, under: policy))
    }

    /// - Parameter receipt: ``ProvenProof/receipt(at:)`` of the same moment, signed.
    package static func decide(
        _ proof: ProvenProof, receipt: [UInt8], in situation: Situation, at now: Instant, under policy: Policy
    ) -> Ruling<ProofOutcome> {
        if let known = repeated(proof.checked, in: situation, at: now, under: policy) { return Ruling(known) }
        do throws(ProofRefusal) {
            guard var attempt = situation.attempt else { throw .unknownAttempt }
            try checkAttempt(attempt, proof.checked)
            try checkState(attempt, at: now, notBefore: situation.instance?.counter.lastSeen)
            guard proof.sequence == attempt.sequence else { throw .attemptMismatch }
            let (instance, effects) = try effect(of: attempt, proof, situation, at: now)
            attempt.state = .done(signatureHash: proof.checked.signatureHash, receipt: receipt)
            let changes = [Change.saveInstance(instance), .saveAttempt(attempt)] + effects
            return Ruling(.proved(receipt: receipt, Standing(instance, at: now, under: policy)), changes)
        } catch {
            return Ruling(.refused(error, Standing(situation.instance, at: now, under: policy)))
        }
    }

    /// The proof is for this attempt: session hash and context are those of the attempt's row.
    private static func checkAttempt(_ attempt: AttemptRecord, _ checked: CheckedProof) throws(ProofRefusal) {
        let proof = checked.proof
        guard attempt.owner == checked.owner else { throw .otherServer }
        guard attempt.id == proof.attemptID, attempt.instanceID == proof.instanceID, attempt.sessionHash == proof.sessionHash,
            attempt.purpose.context == proof.context, attempt.epoch == proof.epoch
        else { throw .attemptMismatch }
    }

    /// Still RESERVED, and young enough by a clock that does not go back.
    private static func checkState(_ attempt: AttemptRecord, at now: Instant, notBefore lastSeen: Instant?) throws(ProofRefusal) {
        switch attempt.state {
        case .reserved: break
        case .superseded: throw .superseded
        case .done: throw .alreadyProved
        }
        let age = max(now, lastSeen ?? now).seconds(since: attempt.reservedAt)
        let limit = attempt.purpose.context.setsPIN ? Times.pendingLifetime : Times.proofWindow
        guard age <= limit else { throw .tooLate }
    }

    /// The instance after the proof, and what else the context does.
    private static func effect(
        of attempt: AttemptRecord, _ proof: ProvenProof, _ situation: Situation, at now: Instant
    ) throws(ProofRefusal) -> (Instance, [Change]) {
        switch attempt.purpose {
        case .firstSet(let deviceKey):
            return (try newInstance(of: attempt, deviceKey, proof, situation, at: now), [.dropPending(attempt.instanceID)])
        case .verify:
            return (try provedInstance(attempt, proof, situation, at: now), [])
        case .enrol(let deviceKey):
            var instance = try provedInstance(attempt, proof, situation, at: now)
            guard instance.hasRoom(for: deviceKey) else { throw .tooManyDeviceKeys }
            instance.join(deviceKey)
            return (instance, [])
        }
    }

    private static func provedInstance(
        _ attempt: AttemptRecord, _ proof: ProvenProof, _ situation: Situation, at now: Instant
    ) throws(ProofRefusal) -> Instance {
        guard var instance = situation.instance, case .open(let keys) = instance.state else { throw .closed }
        guard instance.epoch == attempt.epoch, keys.secondFactorKey == proof.secondFactorKey else { throw .attemptMismatch }
        instance.provePIN(attempt.sequence, at: now)
        return instance
    }

    /// FIRST_SET: the pending key becomes the instance's; no counter moves.
    private static func newInstance(
        of attempt: AttemptRecord, _ deviceKey: [UInt8], _ proof: ProvenProof, _ situation: Situation, at now: Instant
    ) throws(ProofRefusal) -> Instance {
        guard situation.instance == nil else { throw .instanceExists }
        guard let pending = situation.pending, pending.attemptID == attempt.id else { throw .superseded }
        let keys = Instance.EpochKeys(secondFactorKey: proof.secondFactorKey, evaluationKey: pending.evaluationKey)
        return Instance(
            id: attempt.instanceID, owner: attempt.owner, deviceKeys: [deviceKey], epoch: attempt.epoch, state: .open(keys),
            counter: Counter(at: now), withoutPIN: 0, lastPIN: now)
    }
}
