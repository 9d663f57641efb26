import OstiaryProtocol

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
            guard let high = bytes.next().flatMap(Hexadecimal.value), let low = bytes.next().flatMap(Hexadecimal.value) else { return nil }
            let meant = high << 4 | low
            if PercentEscape.isUnreserved(meant) { result.append(meant) } else { PercentEscape.append(meant, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
