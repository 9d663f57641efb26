/// Where an HTTP request goes, in the one spelling in which two are compared: scheme and host in lower case, no default port, no query and no
/// fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3).
package struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
    private let text: String

    package var description: String { text }

    /// Nil for anything that is no absolute address of http or https, and for one with user information.
    package init?(_ address: String) {
        guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let colon = address.firstIndex(of: ":") else { return nil }
        let scheme = address[..<colon].lowercased()
        guard let defaultPort = ["https": "443", "http": "80"][scheme] else { return nil }
        var rest = address[address.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard let authority = Self.authority(rest[..<end], defaultPort) else { return nil }
        let path = rest[end...].prefix { $0 != "?" && $0 != "#" }
        guard let normal = Self.normal(path.isEmpty ? "/" : path) else { return nil }
        text = "\(scheme)://\(authority)\(normal)"
    }

    private static func authority(_ text: Substring, _ defaultPort: String) -> String? {
        guard !text.isEmpty, !text.contains("@") else { return nil }
        let lower = text.lowercased()
        // In brackets the colons are the address's own.
        let hostEnd = lower.hasPrefix("[") ? lower.firstIndex(of: "]").map { lower.index(after: $0) } : lower.firstIndex(of: ":") ?? lower.endIndex
        guard let hostEnd, hostEnd > lower.startIndex else { return nil }
        let host = lower[..<hostEnd]
        let tail = lower[hostEnd...]
        guard !tail.isEmpty else { return String(host) }
        let port = tail.dropFirst()
        guard tail.hasPrefix(":"), port.allSatisfy(\.isNumber) else { return nil }
        return port.isEmpty || port == defaultPort ? String(host) : "\(host):\(port)"
    }

    /// Escapes in capitals, and none where none is needed.
    private static func normal(_ path: Substring) -> String? {
        var result: [UInt8] = []
        var bytes = path.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = bytes.next().flatMap(value), let low = bytes.next().flatMap(value) else { return nil }
            let meant = high << 4 | low
            if isUnreserved(meant) {
                result.append(meant)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(high)], digits[Int(low)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? { Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) } }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
