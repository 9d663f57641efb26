import OstiaryProtocol

/// What becomes of a proof.
package enum ProofOutcome: Equatable, Sendable {
    /// Proved now or before: the receipt as it was first sent.
    case proved(receipt: [UInt8], Standing)
    case refused(ProofRefusal, Standing)
}

/// Signs a receipt and answers its bytes. A rule calls it with the facts of its rows, so a signer does nothing but sign.
package typealias SignReceipt = @Sendable (Receipt) -> [UInt8]

/// "At the SFS, on a Proof" (protocol §7), of an attempt that was evaluated.
package enum ProofRules {
    /// The receipt of an attempt that this very proof has proved before; nil when the proof must be decided.
    package static func repeated(
        _ proof: CheckedProof, in situation: Situation, at now: Instant, under policy: Policy
    ) -> ProofOutcome? {
        guard let attempt = situation.attempt, case .done(let completion) = attempt.state,
            completion.signatureHash == proof.signatureHash, completion.method == proof.proof.method,
            (try? checkAttempt(attempt, proof)) != nil
        else { return nil }
        return .proved(receipt: completion.receipt, Standing(situation.instance, at: now, under: policy))
    }

    package static func decide(
        _ proof: ProvenProof, in situation: Situation, at now: Instant, under policy: Policy, signing sign: SignReceipt
    ) -> Ruling<ProofOutcome> {
        if let known = repeated(proof.checked, in: situation, at: now, under: policy) { return Ruling(known) }
        do throws(ProofRefusal) {
            guard var attempt = situation.attempt else { throw .unknownAttempt }
            try checkAttempt(attempt, proof.checked)
            try checkState(attempt, at: now, notBefore: situation.instance?.counter.lastSeen)
            guard proof.sequence == attempt.sequence else { throw .attemptMismatch }
            let (instance, effects) = try effect(of: attempt, proof, situation.settled(at: now), at: now, under: policy)
            let receipt = sign(receipt(attempt, proof, instance, at: now))
            attempt.state = .done(
                AttemptRecord.Completion(
                    method: proof.checked.proof.method, at: max(now, instance.counter.lastSeen), signatureHash: proof.checked.signatureHash,
                    receipt: receipt))
            let changes = [Change.saveInstance(instance), .saveAttempt(attempt)] + effects
            return Ruling(.proved(receipt: receipt, Standing(instance, at: now, under: policy)), changes)
        } catch {
            return Ruling(.refused(error, Standing(situation.instance, at: now, under: policy)))
        }
    }

    /// Whether somebody relies on what a proof has written, beyond its receipt (docs/decisions/0067). Nobody does on that of a VERIFY whose number is the
    /// newest success: it moves counters up, which the receipt does again, since a caller keeps the newest and sends it with each ticket. An older number
    /// has a receipt that no caller keeps.
    static func isReliedOn(_ proof: ProvenProof, in situation: Situation) -> Bool {
        guard proof.checked.proof.context == .verify, let instance = situation.instance else { return true }
        return proof.sequence <= instance.counter.proven
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
        of attempt: AttemptRecord, _ proof: ProvenProof, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(ProofRefusal) -> (Instance, [Change]) {
        switch attempt.purpose {
        case .firstSet(let deviceKey):
            return (try newInstance(of: attempt, deviceKey, proof, situation, at: now), [.dropPending(attempt.instanceID)])
        case .verify, .pinChangeVerify:
            return (try provedInstance(attempt, proof, situation, at: now), [])
        case .biometricsAdd(let key):
            var instance = try provedInstance(attempt, proof, situation, at: now)
            instance.setBiometricKey(key)
            return (instance, [])
        case .biometricsRemove:
            var instance = try provedInstance(attempt, proof, situation, at: now)
            instance.setBiometricKey(nil)
            return (instance, [])
        case .pinChangeSet:
            return (try nextEpoch(of: attempt, proof, situation, at: now, under: policy), [.dropPending(attempt.instanceID)])
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
        guard var instance = situation.instance, let keys = instance.openKeys else { throw .closed }
        guard instance.epoch == attempt.epoch, keys.secondFactorKey == proof.secondFactorKey else { throw .attemptMismatch }
        try checkBiometricKey(proof, instance)
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

    /// PIN_CHANGE_SET: the pending key becomes that of the next epoch, and the former key is gone with the same commit.
    private static func nextEpoch(
        of attempt: AttemptRecord, _ proof: ProvenProof, _ situation: Situation, at now: Instant, under policy: Policy
    ) throws(ProofRefusal) -> Instance {
        guard var instance = situation.instance, let keys = instance.openKeys else { throw .closed }
        guard let pending = situation.pending, pending.attemptID == attempt.id else { throw .superseded }
        guard instance.epoch < .max, attempt.epoch == instance.epoch + 1, attempt.vouchedBy == proof.checked.proof.method else {
            throw .attemptMismatch
        }
        if attempt.vouchedBy == .pin {
            guard proof.secondFactorKey == keys.secondFactorKey else { throw .otherSecondFactorKey }
        } else {
            guard !policy.disallowPINChangeWithBiometric else { throw .methodNotOffered }
        }
        try checkBiometricKey(proof, instance)
        instance.openNextEpoch(
            Instance.EpochKeys(secondFactorKey: proof.secondFactorKey, evaluationKey: pending.evaluationKey), at: now)
        return instance
    }

    /// The biometric key that signed, if one did, is still that of the instance.
    private static func checkBiometricKey(_ proof: ProvenProof, _ instance: Instance) throws(ProofRefusal) {
        guard let key = proof.biometricKey else { return }
        guard instance.biometricKey == key else { throw .noBiometricKey }
    }

    /// What is true after the proof. A new PIN counts nothing, so its receipt tells the newest success.
    private static func receipt(_ attempt: AttemptRecord, _ proof: ProvenProof, _ instance: Instance, at now: Instant) -> Receipt {
        Receipt(
            serverID: attempt.owner.id, instanceID: attempt.instanceID, attemptID: attempt.id, sessionHash: attempt.sessionHash,
            context: attempt.purpose.context, method: proof.checked.proof.method, epoch: attempt.epoch,
            sequence: attempt.purpose.context.setsPIN ? instance.counter.proven : attempt.sequence, secondFactorKey: proof.secondFactorKey,
            signaturesHash: proof.checked.signaturesHash, withoutPIN: instance.withoutPIN, lastPIN: instance.lastPIN, issuedAt: now)
    }
}
