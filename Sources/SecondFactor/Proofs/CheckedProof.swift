import OstiaryProtocol

/// A proof of an attempt that was evaluated, with the operator signature of its caller. What box and biometric key signed is still to be verified.
package struct CheckedProof: Sendable {
    package let owner: VirtualServer
    package let proof: Proof
    package let secondFactorSignature: [UInt8]
    /// With a method that has a biometric in it.
    package let biometricSignature: [UInt8]?

    /// SHA(sfSig), which tells a repetition from another proof; Ed25519 signatures cannot be changed into other valid ones, bioSig can.
    package var signatureHash: [UInt8] { SHA(secondFactorSignature) }
    /// SHA(sfSig||bioSig), for the receipt.
    package var signaturesHash: [UInt8] { SHA(secondFactorSignature + (biometricSignature ?? [])) }
}

extension CheckedProof {
    package static func check(_ proof: Encoded<Proof>, from caller: Caller, at now: Instant) throws(ProofRefusal) -> CheckedProof {
        let value = proof.value
        guard (try? proof.verify(with: caller.keys, at: now)) != nil else { throw .notSigned }
        guard value.serverID == caller.server.id else { throw .otherServer }
        guard value.context.evaluatedMethods.contains(value.method), value.ticket == nil, let signature = value.secondFactorSignature,
            (value.secondFactorKey != nil) == value.context.setsPIN, (value.biometricSignature != nil) == value.method.contains(.bio)
        else { throw .methodNotOffered }
        return CheckedProof(
            owner: caller.server, proof: value, secondFactorSignature: signature, biometricSignature: value.biometricSignature)
    }

    /// Verifies what the opened box signed, under the second-factor key of the epoch; for a new PIN under the new one (protocol §2, exception 1).
    ///
    /// The rows may change before the decision, which therefore asks again whether these keys and this number are still theirs.
    package func proved(in situation: Situation) throws(ProofRefusal) -> ProvenProof {
        guard let attempt = situation.attempt else { throw .unknownAttempt }
        let key: EdwardsPublicKey
        let message: [UInt8]
        switch attempt.purpose {
        case .firstSet, .pinChangeSet:
            guard let newKey = proof.secondFactorKey, let evaluationKey = attempt.newEvaluationKey else { throw .attemptMismatch }
            guard let decoded = try? EdwardsPublicKey(newKey) else { throw .secondFactorKey }
            key = decoded
            message = Transcript.secondFactorSet(
                instance: attempt.instanceID, attempt: attempt.id, context: proof.context, sessionHash: attempt.sessionHash,
                evaluationKey: evaluationKey, secondFactorKey: newKey)
        case .verify, .enrol, .biometricsAdd, .biometricsRemove, .pinChangeVerify:
            guard let keys = situation.instance?.openKeys else { throw .closed }
            key = EdwardsPublicKey(stored: keys.secondFactorKey)
            message = Transcript.secondFactorProof(
                instance: attempt.instanceID, attempt: attempt.id, context: proof.context, sessionHash: attempt.sessionHash)
        }
        let label = proof.context.setsPIN ? Label.secondFactorSet : .secondFactorProof
        do { try key.verify(secondFactorSignature, label, message) } catch { throw .secondFactorSignature }
        return ProvenProof(
            checked: self, secondFactorKey: key.bytes, biometricKey: try biometricKey(for: attempt, situation), sequence: attempt.sequence)
    }

    /// Verifies the biometric signature, if the method has one.
    private func biometricKey(for attempt: AttemptRecord, _ situation: Situation) throws(ProofRefusal) -> [UInt8]? {
        guard let biometricSignature else { return nil }
        guard let key = situation.instance?.biometricKey else { throw .noBiometricKey }
        let message = Transcript.biometric(
            instance: attempt.instanceID, attempt: attempt.id, context: proof.context, sessionHash: attempt.sessionHash, madeAt: attempt.madeAt)
        do { try DevicePublicKey(key).verify(biometricSignature, .bio, message) } catch { throw .biometricSignature }
        return key
    }
}

/// A checked proof together with the keys that made its signatures, and the number of the attempt that it proves.
package struct ProvenProof: Sendable {
    package let checked: CheckedProof
    package let secondFactorKey: [UInt8]
    package let biometricKey: [UInt8]?
    package let sequence: UInt64
}
