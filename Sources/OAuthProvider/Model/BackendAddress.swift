/// Where a client's backend listens to us: https, or http to this very machine; without a fragment, a name and a password, and with a host and a port
/// that there can be. An operator registers it, so where it leads is an operator's choice (docs/decisions/0028).
package struct BackendAddress: Hashable, Sendable {
    package let text: String
    /// By which calls are counted, as the HTTP client counts connections: scheme, host and port.
    package let host: String
    /// The name or number of the machine, as it is looked up: in small letters, a number of IPv6 without its brackets.
    package let name: String

    /// Nil for what is none.
    package init?(_ text: String) {
        guard (try? RedirectURI(registering: text, ofApp: false)) != nil, let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let authority = text[start...].prefix { !"/?".contains($0) }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        let host = authority[..<(end ?? authority.endIndex)]
        guard Self.isName(host) || Self.isBracketed(host) else { return nil }
        self.text = text
        name = (host.hasPrefix("[") ? host.dropFirst().dropLast() : host).lowercased()
        let scheme = text[..<start].dropLast(3).lowercased()
        let port = end.map { authority[$0...].dropFirst() } ?? ""
        self.host = "\(scheme)://\(host.lowercased()):\(port.isEmpty ? scheme == "https" ? "443" : "80" : port)"
    }

    /// Without what follows a question mark, for the log: an operator may have put a key there.
    package var withoutQuery: String { String(text.prefix { $0 != "?" }) }

    /// A name of DNS, also one with underscores as containers have them, or an IPv4 address (RFC 1035 §2.3.4).
    private static func isName(_ host: Substring) -> Bool {
        host.utf8.count <= 253
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || "-_".utf8.contains($0) }
            }
    }

    private static func isBracketed(_ host: Substring) -> Bool {
        host.count > 2 && host.hasPrefix("[") && host.hasSuffix("]")
            && host.dropFirst().dropLast().utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) || ":.".utf8.contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
