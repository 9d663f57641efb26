/// Hexadecimal digits (RFC 4648 §8): read in either case, written in small ones.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    /// What a digit stands for, 0 to 15; nil for anything else.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Two digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes of a text; nil for anything but digits, and for half a byte.
    package static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), text.makeIterator())
        while let first = rest.next() {
            guard let high = value(of: first), let low = rest.next().flatMap(value) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
