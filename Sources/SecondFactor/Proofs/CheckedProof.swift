import OstiaryProtocol

/// A proof by PIN with the operator signature of its caller. What the opened box signed is still to be verified.
package struct CheckedProof: Sendable {
    package let owner: VirtualServer
    package let proof: Proof
    package let secondFactorSignature: [UInt8]

    /// SHA(sfSig), which tells a repetition from another proof; Ed25519 signatures cannot be changed into other valid ones.
    package var signatureHash: [UInt8] { SHA(secondFactorSignature) }
}

extension CheckedProof {
    package static func check(_ proof: Encoded<Proof>, from caller: Caller, at now: Instant) throws(ProofRefusal) -> CheckedProof {
        let value = proof.value
        guard (try? proof.verify(with: caller.keys, at: now)) != nil else { throw .notSigned }
        guard value.serverID == caller.server.id else { throw .otherServer }
        guard value.method == .pin, value.ticket == nil, value.biometricSignature == nil, let signature = value.secondFactorSignature,
            (value.secondFactorKey != nil) == value.context.setsPIN
        else { throw .methodNotOffered }
        return CheckedProof(owner: caller.server, proof: value, secondFactorSignature: signature)
    }

    /// Verifies what the opened box signed, under the second-factor key of the epoch; for FIRST_SET under the new one (protocol §2, exception 1).
    ///
    /// The rows may change before the decision, which therefore asks again whether this key and this number are the attempt's.
    package func proved(in situation: Situation) throws(ProofRefusal) -> ProvenProof {
        guard let attempt = situation.attempt else { throw .unknownAttempt }
        let key: [UInt8]
        let message: [UInt8]
        switch attempt.purpose {
        case .firstSet:
            guard let newKey = proof.secondFactorKey, let evaluationKey = attempt.newEvaluationKey else { throw .attemptMismatch }
            key = newKey
            message = Transcript.secondFactorSet(
                instance: attempt.instanceID, attempt: attempt.id, context: proof.context, sessionHash: attempt.sessionHash,
                evaluationKey: evaluationKey, secondFactorKey: newKey)
        case .verify, .enrol:
            guard case .open(let keys) = situation.instance?.state else { throw .closed }
            key = keys.secondFactorKey
            message = Transcript.secondFactorProof(
                instance: attempt.instanceID, attempt: attempt.id, context: proof.context, sessionHash: attempt.sessionHash)
        }
        let label = proof.context.setsPIN ? Label.secondFactorSet : .secondFactorProof
        do { try EdwardsPublicKey(key).verify(secondFactorSignature, label, message) } catch { throw .secondFactorSignature }
        return ProvenProof(checked: self, secondFactorKey: key, sequence: attempt.sequence)
    }
}

/// A checked proof together with the key that the opened box signed with, and the number of the attempt that it proves.
package struct ProvenProof: Sendable {
    package let checked: CheckedProof
    package let secondFactorKey: [UInt8]
    package let sequence: UInt64

    /// The receipt to sign for it (protocol §7). `lastPIN` and the time of issue are `now`.
    package func receipt(at now: Instant) -> Receipt {
        let proof = checked.proof
        return Receipt(
            serverID: proof.serverID, instanceID: proof.instanceID, attemptID: proof.attemptID, sessionHash: proof.sessionHash,
            context: proof.context, method: .pin, epoch: proof.epoch, sequence: sequence, secondFactorKey: secondFactorKey,
            signaturesHash: checked.signatureHash, withoutPIN: 0, lastPIN: now, issuedAt: now)
    }
}
