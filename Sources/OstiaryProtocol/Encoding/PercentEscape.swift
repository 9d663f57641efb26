/// Bytes that stand in an address or a form as a percent sign and two digits (RFC 3986 §2.1; RFC 6749 appendix B for forms).
package enum PercentEscape {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// A letter, a digit, or one of `-._~`: what no escape is needed for (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Everything but unreserved characters as an escape, so that nothing in a value ends it: in an address, and in a form, where every reader takes `%20`
    /// for a space and some read no plus so.
    package static func text(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) { result.append(byte) } else { append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Names and values as the query of an address, or the body of a form, has them.
    package static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(text($0.name))=\(text($0.value))" }.joined(separator: "&")
    }

    /// Adds the escape of a byte, with large digits (RFC 3986 §6.2.2.1).
    package static func append(_ byte: UInt8, to result: inout [UInt8]) {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// What an escape that is none comes to.
    package enum Broken: Sendable {
        /// Nothing of the text is read.
        case refused
        /// It stays as it is.
        case kept
    }

    /// The bytes that a text stands for.
    ///
    /// Read as bytes that lie in one piece: each call at the token endpoint has a form, and what is generic over sequences costs several times as much.
    /// - Parameter isForm: whether a plus is a space.
    /// - Returns: nil when an escape is broken and `broken` is refused.
    package static func bytes(of text: Slice<UnsafeRawBufferPointer>, isForm: Bool, broken: Broken = .refused) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var place = text.startIndex
        while place < text.endIndex {
            let byte = text[place]
            place += 1
            switch byte {
            case UInt8(ascii: "+") where isForm: bytes.append(0x20)
            case UInt8(ascii: "%"):
                if text.endIndex - place >= 2, let high = Hexadecimal.value(of: text[place]), let low = Hexadecimal.value(of: text[place + 1]) {
                    bytes.append(high << 4 | low)
                    place += 2
                } else {
                    guard broken == .kept else { return nil }
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    /// The text that a part of an address stands for. What is no escape stays as it is, and what is no UTF-8 is mended.
    package static func unescaped(_ text: Substring) -> String {
        var text = text
        return text.withUTF8 { text in
            let bytes = bytes(of: UnsafeRawBufferPointer(text)[...], isForm: false, broken: .kept)
            return String(decoding: bytes ?? Array(text), as: UTF8.self)
        }
    }
}
