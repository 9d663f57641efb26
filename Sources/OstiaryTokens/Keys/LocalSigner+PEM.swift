import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LocalSigner {
    /// That a text is no private key that signs here: another kind or size, a public or an encrypted one, no PEM.
    package struct PEMWrong: Error, Equatable {
        package init() {}
    }

    /// A private key as `openssl genpkey` writes it (RFC 7468 §10, PKCS #8): of P-256, of Ed25519, or of RSA with 2048 to 4096 bits. Its kind is its algorithm.
    /// - Throws: ``PEMWrong``.
    package init(pem: String) throws(PEMWrong) {
        do {
            if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
                try self.init(.es256, stored: Array(key.rawRepresentation))
            } else if Self.namesEd25519(pem), let key = try? Curve25519.Signing.PrivateKey(pemRepresentation: pem) {
                try self.init(.edDSA, stored: Array(key.rawRepresentation))
            } else {
                let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
                guard key.keySizeInBits <= 4_096 else { throw PEMWrong() }
                try self.init(.rs256, stored: Array(key.derRepresentation))
            }
        } catch { throw PEMWrong() }
    }

    /// Whether the key says that it is one of Ed25519 (RFC 8410 §3): the library takes one of X25519, which is for no signatures, for such a one, too.
    private static func namesEd25519(_ pem: String) -> Bool {
        let body = pem.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }.joined()
        guard let bytes = Data(base64Encoded: body) else { return false }
        return Array(bytes).firstRange(of: [0x06, 0x03, 0x2B, 0x65, 0x70] as [UInt8]) != nil
    }
}
