import Crypto
import CryptoExtras
import OstiaryProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LocalSigner {
    /// A new key, as `init(_:stored:)` takes it. RSA has 2048 bits, which every client's library knows; its two primes take a while, and are drawn by the
    /// library itself, which takes no bytes for them.
    package static func drawn(_ algorithm: SignatureAlgorithm, using random: any RandomSource) throws -> [UInt8] {
        switch algorithm {
        case .es256:
            var scalar = random.bytes(32)
            // One number in 2^32 is none of the curve's.
            while (try? P256.Signing.PrivateKey(rawRepresentation: scalar)) == nil { scalar = random.bytes(32) }
            return scalar
        case .edDSA: return random.bytes(32)
        case .rs256: return Array(try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation)
        }
    }
}
