import Crypto

/// Why a step of the VOPRF was refused.
package enum VOPRFError: Error, Equatable, Sendable {
    /// An element or scalar is none, or a computation left the group.
    case group(GroupError)
    /// Lists of different length, empty, or longer than their two-byte index allows.
    case badBatch
    /// The proof does not show that the pinned key made this evaluation. The server's identity is in doubt, never the input.
    case proofRefused
    /// A seed from which no key could be made.
    case noKey
    /// An input of more than 65 535 bytes.
    case inputTooLong
}

/// VOPRF(ristretto255, SHA-512), the verifiable mode of RFC 9497. Steps are named as there; random scalars are parameters here. `PINBlinding`
/// draws the blind, `OPRFKey` its key; r of a proof is derived (``proofScalar(secret:publicKey:m:z:attempt:)``).
package enum VOPRF {
    /// "OPRFV1-" mode "-" suite (§3.1).
    static let context: [UInt8] = Array("OPRFV1-".utf8) + [0x01] + Array("-ristretto255-SHA512".utf8)
    static let hashToGroupTag: [UInt8] = Array("HashToGroup-".utf8) + context
    static let hashToScalarTag: [UInt8] = Array("HashToScalar-".utf8) + context
    static let seedTag: [UInt8] = Array("Seed-".utf8) + context
    /// Without a dash, unlike the others (§3.2.1).
    static let deriveKeyPairTag: [UInt8] = Array("DeriveKeyPair".utf8) + context

    package struct KeyPair: Sendable {
        package let secret: GroupScalar
        package let publicKey: GroupElement
    }

    package struct Evaluation: Sendable {
        package let elements: [GroupElement]
        package let proof: Proof
    }

    /// DeriveKeyPair (§3.2.1). The service draws its keys at random; this is for known answers.
    package static func deriveKeyPair(seed: [UInt8], info: [UInt8]) throws(VOPRFError) -> KeyPair {
        let input = seed + lengthPrefixed(info)
        for counter in UInt8.min...UInt8.max {
            let secret = try inGroup { () throws(GroupError) in try GroupScalar(hashing: input + [counter], tag: deriveKeyPairTag) }
            if !secret.isZero { return try keyPair(of: secret) }
        }
        throw .noKey
    }

    /// - Parameter publicKey: that of the secret, where it is known.
    static func keyPair(of secret: GroupScalar, publicKey: GroupElement? = nil) throws(VOPRFError) -> KeyPair {
        guard !secret.isZero else { throw .group(.zeroScalar) }
        if let publicKey { return KeyPair(secret: secret, publicKey: publicKey) }
        return KeyPair(secret: secret, publicKey: try inGroup { () throws(GroupError) in try GroupElement.generator(times: secret) })
    }

    /// Blind (§3.3.1): what is sent instead of the input.
    package static func blind(_ input: LockedBytes, by blind: GroupScalar) throws(VOPRFError) -> GroupElement {
        guard !blind.isZero else { throw .group(.zeroScalar) }
        return try inGroup { () throws(GroupError) in
            let point = try input.withUnsafeBytes { (bytes) throws(GroupError) in try GroupElement(hashing: bytes, tag: hashToGroupTag) }
            return try point.multiplied(by: blind)
        }
    }

    /// BlindEvaluate (§3.3.2) over a batch, with one proof for all of it; `r` must be fresh for every call.
    package static func blindEvaluate(_ blinded: [GroupElement], with key: KeyPair, r: GroupScalar) throws(VOPRFError) -> Evaluation {
        var elements: [GroupElement] = []
        for element in blinded { elements.append(try inGroup { () throws(GroupError) in try element.multiplied(by: key.secret) }) }
        return Evaluation(elements: elements, proof: try generateProof(key, blinded: blinded, evaluated: elements, r: r))
    }

    /// Finalize (§3.3.2) for one input of a batch, after `verifyProof` has accepted the whole batch.
    package static func finalize(_ input: LockedBytes, blind: GroupScalar, evaluated: GroupElement) throws(VOPRFError) -> SecretBytes {
        let unblinded = try inGroup { () throws(GroupError) in try evaluated.multiplied(by: try blind.inverted()) }
        return try input.withUnsafeBytes { (bytes) throws(VOPRFError) in
            guard let length = UInt16(exactly: bytes.count) else { throw .inputTooLong }
            var hash = SHA512()
            hash.update(data: [UInt8(length >> 8), UInt8(length & 0xFF)])
            hash.update(bufferPointer: bytes)
            hash.update(data: lengthPrefixed(unblinded.bytes))
            hash.update(data: Array("Finalize".utf8))
            return SecretBytes(Array(hash.finalize()))
        }
    }

    /// I2OSP(len, 2) and the bytes; everything prefixed here is a constant, an element, a digest or a key info.
    static func lengthPrefixed(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.v16(bytes)
        return writer.bytes
    }

    static func sha512(_ bytes: [UInt8]) -> [UInt8] { Array(SHA512.hash(data: bytes)) }

    /// Runs group arithmetic and names its failure as one of ours.
    static func inGroup<Result>(_ body: () throws(GroupError) -> Result) throws(VOPRFError) -> Result {
        do throws(GroupError) { return try body() } catch { throw .group(error) }
    }
}
