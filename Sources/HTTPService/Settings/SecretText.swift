import Crypto

/// A secret word of the configuration. It prints as `‹secret›` and is compared in constant time.
package struct SecretText: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Whether `other` is the same text. Takes the same time wherever the two differ; the length is not hidden.
    package func matches(_ other: some StringProtocol) -> Bool {
        let theirs = Array(other.utf8)
        guard theirs.count == bytes.count else { return false }
        return zip(bytes, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The text itself, for the one who shows it to whom it is for.
    package func shown<Value>(to body: (String) throws -> Value) rethrows -> Value { try body(String(decoding: bytes, as: UTF8.self)) }

    /// HMAC-SHA-256 of a message under the text as the key (RFC 2104): nobody else can make it.
    package func code(of message: some StringProtocol) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: SymmetricKey(data: bytes)))
    }

    /// SHA-256 of the text, for whoever keeps or compares nothing else of it.
    package var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// Whether guessing it costs what guessing a key must cost.
    package var isStrong: Bool { holdsEnough(String(decoding: bytes, as: UTF8.self)) }

    /// Why no field of a request carries it as it is; nil where one does. A field loses the blanks around its value (RFC 9110 §5.5), and what is no visible
    /// ASCII (%x21-7E) programs send as they like, or not at all.
    package var fieldTrouble: String? {
        if bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        if text.first?.isWhitespace == true || text.last?.isWhitespace == true {
            return "begins or ends with a blank or a tab, which a request loses on its way: take it away"
        }
        return "holds a blank or a character that is not visible or not ASCII, a byte order mark at its beginning perhaps, which not every program "
            + "sends as it is: take that away"
    }

    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
