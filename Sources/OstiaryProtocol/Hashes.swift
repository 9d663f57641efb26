import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// SHA-256 (protocol §2).
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func SHA(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.take(Array(bytes))
    return hash.taken
}

/// The same of an array as it lies in memory.
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func SHA(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.take(bytes)
    return hash.taken
}

/// The same of a text as it lies in memory.
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func SHA(_ text: String) -> [UInt8] {
    var hash = SHA256()
    var text = text
    text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    return hash.taken
}

/// H(label, b) = SHA-256("AP1/" label 00 b) (protocol §2).
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func H(_ label: Label, _ bytes: [UInt8]) -> [UInt8] { H(label.prefix, bytes) }

/// The same for a label of which somebody keeps the prefix, because it is asked for all day.
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
func H(_ prefix: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.take(prefix)
    hash.take(bytes)
    return hash.taken
}

/// KDF(ikm, salt, label, ctx, n) = HKDF-SHA-256 with info = "AP1/" label 00 ctx; an empty salt stands for 32 zero bytes (protocol §2).
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func KDF(ikm: [UInt8], salt: [UInt8], _ label: Label, _ context: [UInt8], _ count: Int) -> [UInt8] {
    HKDF<SHA256>.deriveKey(
        inputKeyMaterial: SymmetricKey(data: ikm), salt: salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt,
        info: label.prefix + context, outputByteCount: count
    ).withUnsafeBytes { Array($0) }
}

/// HMAC-SHA-256(key, "AP1/" label 00 b), for values that only their maker can make (protocol §3).
// swift-format-ignore: AlwaysUseLowerCamelCase, spelled as in the specification
package func MAC(key: [UInt8], _ label: Label, _ bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: label.prefix + bytes, using: SymmetricKey(data: key)))
}

extension SHA256 {
    /// The bytes as they lie in memory: called from another module, the library's way for any kind of data takes several times what the hash does.
    fileprivate mutating func take(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update(bufferPointer: $0) } }

    /// The digest of all that was taken.
    fileprivate var taken: [UInt8] { finalize().withUnsafeBytes { Array($0) } }
}

/// Equality whose time depends on the length only. Secrets are compared by this and by nothing else.
package func matches(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}
