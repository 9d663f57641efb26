import OstiaryProtocol

/// M3 and M4: an operation on the second factor that belongs to no session is completed (protocol §7).
extension Engine {
    /// Sends M3 until its outcome is known. A repeat with the same content gets the same M4.
    func complete(_ challenge: FactorChallenge, _ proof: FactorProof, newKey: [UInt8]? = nil) async throws(OstiaryError) -> Delivered<M4> {
        try checkNotAborted()
        let message = M3(
            accountID: challenge.account, instanceID: challenge.instance.id, attemptID: proof.attempt, context: challenge.context,
            method: proof.method, epoch: challenge.instance.epoch, payload: challenge.payload, secondFactorKey: newKey,
            attempt: proof.biometricAttempt, secondFactorSignature: proof.secondFactorSignature, biometricSignature: proof.biometricSignature)
        let answer = try await challenge.line(waitsOutBusy: true).ask(
            message, for: M4.self, declining: { proof.method.isDeclined(by: $0) }, by: self)
        return answer.map(\.value)
    }
}
