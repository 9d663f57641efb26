import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JWK {
    /// Whether the key's owner made the signature over these bytes, in the form that JWS has (RFC 7518 §3.3, §3.4, RFC 8037 §3.1).
    func isValid(_ signature: [UInt8], over input: [UInt8]) -> Bool {
        switch material {
        case .p256(let point):
            guard signature.count == 64, let key = try? P256.Signing.PublicKey(x963Representation: point),
                let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(parsed, for: input)
        case .ed25519(let point):
            guard signature.count == 64, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else { return false }
            return key.isValidSignature(signature, for: input)
        case .rsa(let modulus, let exponent):
            guard signature.count == modulus.count, let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return false }
            let parsed = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(parsed, for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5)
        }
    }
}
