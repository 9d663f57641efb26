extension VOPRF {
    /// r of a proof, derived where RFC 9497 §2.2.1 draws it: KDF(k, "dleq", attemptId || pkK || M || Z, 64), little-endian, modulo the order (protocol §0.1).
    ///
    /// Two proofs with one r and two challenges give k away: k = (s − s') / (c' − c). The challenge is a hash of pkK, M, Z, r·G and r·M and of nothing
    /// else, so r depends on the first three as they go into the challenge, and on k: with the same r all five are the same, and so is the proof.
    /// - Parameters:
    ///   - publicKey: pkK as it goes into the challenge, which is what somebody kept and need not be that of the secret.
    ///   - m: the composite of what was blinded.
    ///   - z: the composite of what was evaluated.
    package static func proofScalar(
        secret: GroupScalar, publicKey: GroupElement, m: GroupElement, z: GroupElement, attempt: AttemptID
    ) throws(GroupError) -> GroupScalar {
        try GroupScalar(wide: KDF(ikm: secret.bytes, salt: [], .dleq, attempt.bytes + publicKey.bytes + m.bytes + z.bytes, 64))
    }

    /// BlindEvaluate (§3.3.2) of one element for one attempt: the same bytes each time, and at each node.
    package static func blindEvaluate(_ blinded: GroupElement, with key: KeyPair, attempt: AttemptID) throws(VOPRFError) -> Evaluation {
        let element = try inGroup { () throws(GroupError) in try blinded.multiplied(by: key.secret) }
        let proof = try generateProof(key, blinded: [blinded], evaluated: [element]) { (m, z) throws(GroupError) in
            try proofScalar(secret: key.secret, publicKey: key.publicKey, m: m, z: z, attempt: attempt)
        }
        return Evaluation(elements: [element], proof: proof)
    }
}
