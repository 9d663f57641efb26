import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The private half of an operational key of a server: signs answers, tickets, receipts and bundles (protocol §1).
package struct OperatorKey: Sendable, CustomStringConvertible {
    package let id: [UInt8]
    package let publicKey: [UInt8]
    private let key: Curve25519.Signing.PrivateKey

    /// From the 32-byte seed. The id is the first 8 bytes of H("op", public key).
    package init(seed: [UInt8]) throws(BadSignature) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { throw BadSignature() }
        self.key = key
        publicKey = Array(key.publicKey.rawRepresentation)
        id = Array(H(.op, publicKey).prefix(8))
    }

    /// The 32-byte seed, to be wrapped before it is stored.
    package var seed: [UInt8] { Array(key.rawRepresentation) }

    package var description: String { "OperatorKey ‹secret›" }

    package func sign(_ label: Label, _ message: [UInt8]) -> OperatorSignature {
        OperatorSignature(keyID: id, ed25519: edwardsSignature(key, label, message))
    }
}

/// The private half of a root key. It signs operational keys and nothing else, and may live off line.
package struct RootKey: Sendable, CustomStringConvertible {
    package let root: Root
    private let key: Curve25519.Signing.PrivateKey

    package init(seed: [UInt8], serverID: ServerID) throws(BadSignature) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { throw BadSignature() }
        self.key = key
        root = Root(ed25519: Array(key.publicKey.rawRepresentation), serverID: serverID)
    }

    package var description: String { "RootKey ‹secret›" }

    /// Certifies an operational key for the time given.
    package func certify(_ operatorKey: OperatorKey, from notBefore: Instant, until notAfter: Instant) -> OperatorCertificate {
        let unsigned = OperatorCertificate(
            id: operatorKey.id, ed25519: operatorKey.publicKey, notBefore: notBefore, notAfter: notAfter, signature: blankDeviceSignature)
        return OperatorCertificate(
            id: unsigned.id, ed25519: unsigned.ed25519, notBefore: notBefore, notAfter: notAfter,
            signature: edwardsSignature(key, .op, unsigned.signedBytes))
    }
}

/// Sign(key, label, m) with Ed25519. Signing cannot fail for a key that could be read; a blank signature verifies nowhere.
package func edwardsSignature(_ key: Curve25519.Signing.PrivateKey, _ label: Label, _ message: [UInt8]) -> [UInt8] {
    (try? key.signature(for: signatureInput(label, message))).map { Array($0) } ?? blankDeviceSignature
}
