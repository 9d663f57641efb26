import OstiaryProtocol

/// A proof by biometric on its own, with the operator signatures of its caller: no PIN was asked, so the ticket comes with the proof.
package struct CheckedBiometric: Sendable {
    package let owner: VirtualServer
    package let proof: Proof
    package let ticket: Ticket
    package let purpose: Purpose
    package let signature: [UInt8]

    package var attempt: Attempt { ticket.attempt.value }

    /// Stands for "nothing was blinded and nothing sealed" in the attempt; no message has this hash.
    package static let noHash = [UInt8](repeating: 0, count: 32)
}

extension CheckedBiometric {
    package static func check(_ proof: Encoded<Proof>, from caller: Caller, at now: Instant) throws(ProofRefusal) -> CheckedBiometric {
        let value = proof.value
        guard (try? proof.verify(with: caller.keys, at: now)) != nil else { throw .notSigned }
        guard value.serverID == caller.server.id else { throw .otherServer }
        guard value.method == .bio, value.context.allowsBiometricAlone, value.secondFactorKey == nil, value.secondFactorSignature == nil,
            let signature = value.biometricSignature, let ticket = value.ticket
        else { throw .methodNotOffered }
        guard (try? ticket.verify(with: caller.keys, at: now)) != nil else { throw .notSigned }
        guard ticket.value.serverID == caller.server.id else { throw .otherServer }
        let attempt = ticket.value.attempt.value
        guard attempt.isNamed(in: value), attempt.blindedHash == noHash, attempt.sealedHash == noHash, let purpose = try? Purpose(of: ticket.value)
        else { throw .attemptMismatch }
        return CheckedBiometric(owner: caller.server, proof: value, ticket: ticket.value, purpose: purpose, signature: signature)
    }

    /// Verifies devSig under a device key of the instance and bioSig under its biometric key.
    ///
    /// The rows may change before the decision, which therefore asks again whether these keys are still the instance's.
    /// - Parameter receipt: what our newest receipt at the caller proves.
    package func proved(in situation: Situation, receipt: ReceiptFacts?) throws(ProofRefusal) -> ProvenBiometric {
        guard let instance = situation.instance else { throw .unknownInstance }
        guard instance.owner == owner else { throw .otherServer }
        guard instance.state != .closed else { throw .closed }
        guard let deviceKey = ticket.attempt.signer(among: instance.deviceKeys) else { throw .deviceSignature }
        guard let key = instance.biometricKey else { throw .noBiometricKey }
        let message = Transcript.biometric(
            instance: instance.id, attempt: attempt.attemptID, context: attempt.context, sessionHash: attempt.sessionHash,
            madeAt: attempt.madeAt)
        do { try DevicePublicKey(key).verify(signature, .bio, message) } catch { throw .biometricSignature }
        return ProvenBiometric(checked: self, deviceKey: deviceKey, biometricKey: key, receipt: receipt)
    }
}

extension Attempt {
    /// Whether a proof names this attempt, field by field.
    fileprivate func isNamed(in proof: Proof) -> Bool {
        instanceID == proof.instanceID && attemptID == proof.attemptID && context == proof.context && epoch == proof.epoch
            && sessionHash == proof.sessionHash
    }
}

/// A checked biometric together with the keys that made its signatures.
package struct ProvenBiometric: Sendable {
    package let checked: CheckedBiometric
    package let deviceKey: [UInt8]
    package let biometricKey: [UInt8]
    package let receipt: ReceiptFacts?

    package var attempt: Attempt { checked.attempt }
}
