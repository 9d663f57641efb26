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

/// ECDSA on P-256.
package struct ES256Signer: TokenSigner {
    private let secret: P256.Signing.PrivateKey
    package let key: JWK

    package init(_ secret: P256.Signing.PrivateKey) {
        self.secret = secret
        key = JWK(.p256(Array(secret.publicKey.x963Representation))).named
    }

    /// - Parameter stored: the 32 bytes of the secret scalar.
    package init(stored: [UInt8]) throws { self.init(try P256.Signing.PrivateKey(rawRepresentation: stored)) }

    package func signature(over input: [UInt8]) throws -> [UInt8] { Array(try secret.signature(for: input).rawRepresentation) }
}

/// Ed25519.
package struct EdDSASigner: TokenSigner {
    private let secret: Curve25519.Signing.PrivateKey
    package let key: JWK

    package init(_ secret: Curve25519.Signing.PrivateKey) {
        self.secret = secret
        key = JWK(.ed25519(Array(secret.publicKey.rawRepresentation))).named
    }

    /// - Parameter stored: the seed of 32 bytes.
    package init(stored: [UInt8]) throws { self.init(try Curve25519.Signing.PrivateKey(rawRepresentation: stored)) }

    package func signature(over input: [UInt8]) throws -> [UInt8] { Array(try secret.signature(for: input)) }
}

/// RSA with PKCS #1 v1.5 and SHA-256, for clients that know nothing newer.
package struct RS256Signer: TokenSigner {
    private let secret: _RSA.Signing.PrivateKey
    package let key: JWK

    package init(_ secret: _RSA.Signing.PrivateKey) throws {
        self.secret = secret
        let numbers = try secret.publicKey.getKeyPrimitives()
        key = JWK(.rsa(modulus: Array(numbers.modulus), exponent: Array(numbers.publicExponent))).named
    }

    /// - Parameter stored: the key in DER, PKCS #1 or PKCS #8.
    package init(stored: [UInt8]) throws { try self.init(try _RSA.Signing.PrivateKey(derRepresentation: stored)) }

    package func signature(over input: [UInt8]) throws -> [UInt8] {
        Array(try secret.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
}

extension JWK {
    fileprivate init(_ material: Material) { self.init(material, id: nil) }

    /// Our keys are named by their thumbprints: no two have one name, and nobody chooses it.
    fileprivate var named: JWK { JWK(material, id: thumbprint.text) }
}

extension ES256Signer: CustomStringConvertible, CustomReflectable {
    package var description: String { "ES256Signer ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EdDSASigner: CustomStringConvertible, CustomReflectable {
    package var description: String { "EdDSASigner ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RS256Signer: CustomStringConvertible, CustomReflectable {
    package var description: String { "RS256Signer ‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
