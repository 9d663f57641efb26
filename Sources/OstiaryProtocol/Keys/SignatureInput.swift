import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a key signs for `Sign(key, label, m)`: "AP1/" label 00 SHA(m) (protocol §2).
package func signatureInput(_ label: Label, _ message: [UInt8]) -> [UInt8] {
    label.prefix + SHA(message)
}

/// The key or the signature does not fit the bytes.
package struct BadSignature: Error, Equatable {
    package init() {}
}

/// A P-256 public key in its one accepted form, 65 bytes X9.63: a device key or a biometric key.
package struct DevicePublicKey: Sendable {
    package static let count = 65
    package let bytes: [UInt8]
    private let key: P256.Signing.PublicKey

    package init(_ bytes: [UInt8]) throws(BadSignature) {
        guard bytes.count == Self.count, bytes.first == 4, let key = try? P256.Signing.PublicKey(x963Representation: bytes)
        else { throw BadSignature() }
        self.bytes = bytes
        self.key = key
    }

    /// Verifies a raw 64-byte signature. Never compare signature bytes: a valid one can be changed into another valid one.
    package func verify(_ signature: [UInt8], _ label: Label, _ message: [UInt8]) throws(BadSignature) {
        guard signature.count == 64, let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature),
            key.isValidSignature(parsed, for: signatureInput(label, message))
        else { throw BadSignature() }
    }
}
