extension VOPRF {
    /// A proof that one key links two lists: 64 bytes, challenge then response (RFC 9497 §2.2).
    package struct Proof: Sendable {
        package static let count = 2 * GroupScalar.count
        let challenge: GroupScalar
        let response: GroupScalar

        init(challenge: GroupScalar, response: GroupScalar) {
            self.challenge = challenge
            self.response = response
        }

        package init(_ bytes: [UInt8]) throws(GroupError) {
            guard bytes.count == Self.count else { throw .notAScalar }
            challenge = try GroupScalar(Array(bytes.prefix(GroupScalar.count)))
            response = try GroupScalar(Array(bytes.suffix(GroupScalar.count)))
        }

        package var bytes: [UInt8] { challenge.bytes + response.bytes }
    }

    /// GenerateProof (§2.2.1), with A the generator and B the public key.
    package static func generateProof(
        _ key: KeyPair, blinded: [GroupElement], evaluated: [GroupElement], r: GroupScalar
    ) throws(VOPRFError) -> Proof {
        try generateProof(key, blinded: blinded, evaluated: evaluated) { (_, _) throws(GroupError) in r }
    }

    /// The same with an r that is made from the composites.
    static func generateProof(
        _ key: KeyPair, blinded: [GroupElement], evaluated: [GroupElement],
        scalar: (_ m: GroupElement, _ z: GroupElement) throws(GroupError) -> GroupScalar
    ) throws(VOPRFError) -> Proof {
        let (m, z) = try computeCompositesFast(key, blinded: blinded, evaluated: evaluated)
        let r = try inGroup { () throws(GroupError) in try scalar(m, z) }
        guard !r.isZero else { throw .group(.zeroScalar) }
        let challenge = try inGroup { () throws(GroupError) in
            let commitments = (try GroupElement.generator(times: r), try m.multiplied(by: r))
            return try self.challenge(publicKey: key.publicKey, m, z, commitments.0, commitments.1)
        }
        return Proof(challenge: challenge, response: r.subtracting(challenge.multiplied(by: key.secret)))
    }

    /// VerifyProof (§2.2.2). A computation that leaves the group counts as a wrong proof.
    package static func verifyProof(
        _ proof: Proof, publicKey: GroupElement, blinded: [GroupElement], evaluated: [GroupElement]
    ) throws(VOPRFError) {
        let (m, z) = try computeComposites(publicKey, blinded: blinded, evaluated: evaluated)
        let expected: GroupScalar
        do throws(GroupError) {
            let t2 = try GroupElement.generator(times: proof.response).adding(try publicKey.multiplied(by: proof.challenge))
            let t3 = try m.multiplied(by: proof.response).adding(try z.multiplied(by: proof.challenge))
            expected = try challenge(publicKey: publicKey, m, z, t2, t3)
        } catch {
            throw .proofRefused
        }
        guard expected.matches(proof.challenge) else { throw .proofRefused }
    }

    /// ComputeComposites (§2.2.2): both lists folded to one element each, with weights that nobody chose.
    package static func computeComposites(
        _ publicKey: GroupElement, blinded: [GroupElement], evaluated: [GroupElement]
    ) throws(VOPRFError) -> (m: GroupElement, z: GroupElement) {
        let weights = try compositeWeights(publicKey, blinded: blinded, evaluated: evaluated)
        return (try weightedSum(weights, blinded), try weightedSum(weights, evaluated))
    }

    /// ComputeCompositesFast (§2.2.1): the same result for whoever holds the key, with one multiplication instead of a second sum.
    package static func computeCompositesFast(
        _ key: KeyPair, blinded: [GroupElement], evaluated: [GroupElement]
    ) throws(VOPRFError) -> (m: GroupElement, z: GroupElement) {
        let weights = try compositeWeights(key.publicKey, blinded: blinded, evaluated: evaluated)
        let m = try weightedSum(weights, blinded)
        return (m, try inGroup { () throws(GroupError) in try m.multiplied(by: key.secret) })
    }

    /// The d_i of both functions. The seed stands length-prefixed in each transcript.
    private static func compositeWeights(
        _ publicKey: GroupElement, blinded: [GroupElement], evaluated: [GroupElement]
    ) throws(VOPRFError) -> [GroupScalar] {
        guard !blinded.isEmpty, blinded.count == evaluated.count, blinded.count <= Int(UInt16.max) else { throw .badBatch }
        let seed = sha512(lengthPrefixed(publicKey.bytes) + lengthPrefixed(seedTag))
        var weights: [GroupScalar] = []
        for (index, (left, right)) in zip(blinded, evaluated).enumerated() {
            var transcript = ByteWriter()
            transcript.v16(seed)
            transcript.u16(UInt16(index))
            transcript.v16(left.bytes)
            transcript.v16(right.bytes)
            transcript.raw(Array("Composite".utf8))
            weights.append(try inGroup { () throws(GroupError) in try GroupScalar(hashing: transcript.bytes, tag: hashToScalarTag) })
        }
        return weights
    }

    /// Σ weight × element, begun at the first product because the identity is not an element here.
    private static func weightedSum(_ weights: [GroupScalar], _ elements: [GroupElement]) throws(VOPRFError) -> GroupElement {
        var sum: GroupElement?
        for (weight, element) in zip(weights, elements) {
            sum = try inGroup { () throws(GroupError) in
                let product = try element.multiplied(by: weight)
                return try sum?.adding(product) ?? product
            }
        }
        guard let sum else { throw .badBatch }
        return sum
    }

    /// c of both proof functions: a hash of the key, the composites and the commitments.
    private static func challenge(
        publicKey: GroupElement, _ m: GroupElement, _ z: GroupElement, _ t2: GroupElement, _ t3: GroupElement
    ) throws(GroupError) -> GroupScalar {
        var transcript: [UInt8] = []
        for element in [publicKey, m, z, t2, t3] { transcript += lengthPrefixed(element.bytes) }
        return try GroupScalar(hashing: transcript + Array("Challenge".utf8), tag: hashToScalarTag)
    }
}
