import OstiaryProtocol

/// An origin whose pages may show the login page in a frame: `https://host[:port]`, or `http://` of this machine, for development.
///
/// It goes into a policy as it is (CSP level 3, `frame-ancestors`) and is compared with what browsers say of themselves: so it is written as they
/// write it, and has no wildcard.
package struct FrameOrigin: Hashable, Sendable {
    /// More than any site needs, and little enough for a header.
    package static let most = 32

    /// Lower case, without the scheme's own port and without a slash at the end.
    package let text: String

    /// Nil for everything that is no such origin: another scheme, a path, a user, an address of IPv6, which a policy cannot name.
    package init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        let parts = lower.dropFirst(scheme.utf8.count).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isSecure = scheme == "https://"
        guard Self.isHost(parts[0]), isSecure || ThisMachine.isHost(parts[0]) else { return nil }
        var origin = scheme + parts[0]
        if parts.count == 2 {
            guard let port = Self.port(parts[1]) else { return nil }
            if port != (isSecure ? 443 : 80) { origin += ":\(port)" }
        }
        self.text = origin
    }

    private static func port(_ digits: Substring) -> UInt16? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Letters, digits and hyphens between dots: what a policy can name.
    private static func isHost(_ host: Substring) -> Bool {
        host.utf8.count <= 253
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isPlain) && !label.hasPrefix("-") && !label.hasSuffix("-")
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
}
