import CSodium
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An Ed25519 public key, 32 bytes: operational keys, roots and the second-factor key `pkSf`.
package struct EdwardsPublicKey: Sendable, Equatable {
    package static let count = 32
    package let bytes: [UInt8]

    /// A key as somebody sends it: the one encoding of a point in the group of prime order, other than the neutral element (protocol §0.5).
    ///
    /// Verifying looks at none of that. Under a point of small order a signature that nobody made fits one message in a few, and under the neutral
    /// element every message.
    package init(_ bytes: [UInt8]) throws(BadSignature) {
        guard Sodium.isReady, bytes.count == Self.count, crypto_core_ed25519_is_valid_point(bytes) == 1 else { throw BadSignature() }
        self.bytes = bytes
    }

    /// A key that was decoded before it was stored, and is not looked at again.
    package init(stored bytes: [UInt8]) { self.bytes = bytes }

    package func verify(_ signature: [UInt8], _ label: Label, _ message: [UInt8]) throws(BadSignature) {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes), signature.count == 64,
            key.isValidSignature(signature, for: signatureInput(label, message))
        else { throw BadSignature() }
    }
}
