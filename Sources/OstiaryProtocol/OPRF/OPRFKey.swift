/// `k` of the second-factor server: one scalar per instance and epoch (protocol §1, §7).
package struct OPRFKey: Sendable {
    private let pair: VOPRF.KeyPair

    /// A fresh key.
    package static func generate() throws(VOPRFError) -> OPRFKey {
        try OPRFKey(scalar: try VOPRF.inGroup { () throws(GroupError) in try GroupScalar.random() })
    }

    /// A stored key: 32 bytes below the group order, not zero.
    /// - Parameter publicKey: pkK where it was kept; computing it again is a fifth of an evaluation. It stands in the proof and nowhere else, so beside
    ///   that of another key no evaluation is believed; and two evaluations beside two of them do not tell the key (`VOPRF.proofScalar`).
    package init(_ stored: SecretBytes, publicKey: [UInt8]? = nil) throws(VOPRFError) {
        try self.init(scalar: try VOPRF.inGroup { () throws(GroupError) in try GroupScalar(stored.exposed) }, publicKey: publicKey)
    }

    private init(scalar: GroupScalar, publicKey: [UInt8]? = nil) throws(VOPRFError) {
        pair = try VOPRF.keyPair(of: scalar, publicKey: publicKey.map { GroupElement(stored: $0) })
    }

    /// The 32 bytes to wrap and store.
    package var stored: SecretBytes { SecretBytes(pair.secret.bytes) }

    /// pkK, 32 bytes: what the phone pins.
    package var publicKey: [UInt8] { pair.publicKey.bytes }

    /// The 96 bytes of SfEval for one blinded element `B`: k·B, then the proof (protocol §7). The same bytes for the same attempt, so nothing is kept of
    /// them; another element, key or attempt has another proof.
    ///
    /// The caller has counted the attempt durably before this runs.
    package func evaluate(_ blinded: GroupElement, attempt: AttemptID) throws(VOPRFError) -> [UInt8] {
        Self.bytes(try VOPRF.blindEvaluate(blinded, with: pair, attempt: attempt))
    }

    /// The same of 32 bytes that may be no element.
    package func evaluate(_ blinded: [UInt8], attempt: AttemptID) throws(VOPRFError) -> [UInt8] {
        try evaluate(try VOPRF.inGroup { () throws(GroupError) in try GroupElement(blinded) }, attempt: attempt)
    }

    /// The same with a given `r`, for known answers; two proofs with one `r` would give `k` away.
    package func evaluate(_ blinded: [UInt8], r: GroupScalar) throws(VOPRFError) -> [UInt8] {
        let element = try VOPRF.inGroup { () throws(GroupError) in try GroupElement(blinded) }
        return Self.bytes(try VOPRF.blindEvaluate([element], with: pair, r: r))
    }

    private static func bytes(_ evaluation: VOPRF.Evaluation) -> [UInt8] { evaluation.elements.flatMap(\.bytes) + evaluation.proof.bytes }
}
