import Crypto
import Foundation
import NIOSSL

/// A server's public key, by its hash: SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4). It outlives certificates, as long as the key stays.
struct KeyPin: Hashable, Sendable {
    private let hash: Data

    /// Nil unless it is the base64 of 32 bytes, as `openssl` prints it (README.md).
    init?(_ text: String) {
        guard let hash = Data(base64Encoded: text), hash.count == SHA256.byteCount else { return nil }
        self.hash = hash
    }

    /// The key of a certificate.
    init(_ certificate: NIOSSLCertificate) throws {
        hash = Data(SHA256.hash(data: try certificate.extractPublicKey().toSPKIBytes()))
    }
}

/// Whoever answered has a certificate that is right, and another key.
struct OtherKey: Error {}
