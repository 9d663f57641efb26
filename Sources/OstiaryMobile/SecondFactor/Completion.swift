import OstiaryProtocol

/// M3 and M4: an operation on the second factor that belongs to no session is completed (protocol §7).
extension Engine {
    /// Sends M3 until its outcome is known. A repeat with the same content gets the same M4.
    func complete(_ challenge: Challenge, _ proof: FactorProof, newKey: [UInt8]? = nil) async throws(OstiaryError) -> Delivered<M4> {
        try checkNotAborted()
        let message = M3(
            accountID: challenge.account, instanceID: challenge.instance.id, attemptID: proof.attempt, context: challenge.context,
            method: proof.method, epoch: challenge.instance.epoch, payload: challenge.payload, secondFactorKey: newKey,
            attempt: proof.biometricAttempt, secondFactorSignature: proof.secondFactorSignature, biometricSignature: proof.biometricSignature)
        let exchanged = try await untilSettled { () async throws(OstiaryError) in
            try await reaching(for: challenge.session) { () async throws(OstiaryError) in
                try await exchange(with: challenge.rootHash, challenge.ephemeral) { sentAt throws(OstiaryError) in
                    let freshness = SealedRequest.freshness(ephemeral: challenge.ephemeral.publicKey, at: sentAt)
                    return try sign(message, with: challenge.keyName, freshness: freshness).bytes
                }
            }
        }
        let status = exchanged.answer.status
        if Delivered<M4>.isDeclined(status, proof.method) { return .declined(status) }
        guard let done = try? M4(decoding: try body(of: exchanged, about: challenge.account, at: challenge.rootHash)) else { throw .serverAnswer }
        return .done(done)
    }
}
