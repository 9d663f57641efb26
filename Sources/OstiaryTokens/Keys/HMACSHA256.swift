import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// HMAC-SHA-256 (RFC 2104) for values that only their maker can make. What is authenticated begins with what it is for, so that no value stands for
/// another.
package enum HMACSHA256 {
    /// 32 bytes.
    package static func tag(over input: [UInt8], key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: key)))
    }
}
