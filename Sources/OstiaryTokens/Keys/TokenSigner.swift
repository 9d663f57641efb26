import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Something that signs tokens: a key in memory today, a key store of its own one day.
package protocol TokenSigner: Sendable {
    /// The public key, under the name that tokens carry as `kid`.
    var key: JWK { get }
    /// In the form that JWS has: 64 bytes for ES256 and EdDSA.
    func signature(over input: [UInt8]) throws -> [UInt8]
}

/// A key in memory that signs tokens.
package struct LocalSigner: TokenSigner {
    package let key: JWK
    private let secret: Secret

    private enum Secret: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    /// - Parameter stored: for ES256 the 32 bytes of the secret scalar; for EdDSA the seed of 32 bytes; for RS256 the key in DER, PKCS #1 or PKCS #8.
    package init(_ algorithm: SignatureAlgorithm, stored: [UInt8]) throws {
        let material: JWK.Material
        switch algorithm {
        case .es256:
            let secret = try P256.Signing.PrivateKey(rawRepresentation: stored)
            (self.secret, material) = (.p256(secret), .p256(Array(secret.publicKey.x963Representation)))
        case .edDSA:
            let secret = try Curve25519.Signing.PrivateKey(rawRepresentation: stored)
            (self.secret, material) = (.ed25519(secret), .ed25519(Array(secret.publicKey.rawRepresentation)))
        case .rs256:
            let secret = try _RSA.Signing.PrivateKey(derRepresentation: stored)
            let numbers = try secret.publicKey.getKeyPrimitives()
            (self.secret, material) = (.rsa(secret), .rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent)))
        }
        // Our keys are named by their thumbprints: no two have one name, and nobody chooses it.
        key = JWK(material, id: JWK(material, id: nil).thumbprint.text)
    }

    package func signature(over input: [UInt8]) throws -> [UInt8] {
        switch secret {
        case .p256(let secret): Array(try secret.signature(for: input).rawRepresentation)
        case .ed25519(let secret): Array(try secret.signature(for: input))
        case .rsa(let secret): Array(try secret.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
        }
    }
}

extension LocalSigner: CustomStringConvertible, CustomReflectable {
    package var description: String { "LocalSigner ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
