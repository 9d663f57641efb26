import OstiaryProtocol

/// An X-nonce: the text by which a business backend names a session. It is kept as a hash only (protocol §3).
package struct SessionNonce: Sendable, CustomStringConvertible {
    package static let lengths = 22...128

    /// H("nonce", text).
    package let hash: [UInt8]

    /// 22 to 128 characters of base64url, base64 or hexadecimal.
    package init(_ text: String) throws(SessionNonceError) {
        let characters = Array(text.utf8)
        guard characters.count >= Self.lengths.lowerBound else { throw .tooShort }
        guard characters.count <= Self.lengths.upperBound else { throw .tooLong }
        let content = characters[..<(characters.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0)]
        guard characters.count - content.count <= 2 else { throw .badCharacter }
        var (isURL, isPlain) = (false, false)
        for character in content {
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "-"), UInt8(ascii: "_"): isURL = true
            case UInt8(ascii: "+"), UInt8(ascii: "/"): isPlain = true
            default: throw .badCharacter
            }
        }
        guard !(isURL && isPlain) else { throw .badCharacter }
        hash = Transcript.nonce(characters)
    }

    /// A nonce of which only the hash was kept.
    package init(hash: [UInt8]) { self.hash = hash }

    /// Four bytes of the hash, enough to follow a session through a log.
    package var description: String { "nonce \(Base64URL.encode(Array(hash.prefix(4))))" }
}

/// Why a text is no nonce.
package enum SessionNonceError: Error, Equatable, Sendable {
    case missing, tooShort, tooLong, badCharacter
}

extension SessionNonceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing: "send the session's nonce as X-nonce"
        case .tooShort: "X-nonce has at least 22 characters: use 16 random bytes or more"
        case .tooLong: "X-nonce has at most 128 characters"
        case .badCharacter: "X-nonce is written in base64url, base64 or hexadecimal"
        }
    }
}
