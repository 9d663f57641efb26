import OstiaryProtocol

/// Where a service behind a virtual server listens: `https://host[:port]/path`, or `http://` of this machine; without a query, because what is asked stands
/// in the body, and what authenticates in a header.
///
/// An operator says it, so where it leads is an operator's choice (docs/decisions/0028).
package struct ServiceAddress: Hashable, Sendable {
    /// More than any service needs.
    package static let mostBytes = 2_000

    package let text: String
    /// Scheme, host and port, in one spelling: to whom the secret is shown.
    package let origin: String

    /// Nil for everything else.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes, let scheme = text.firstRange(of: "://") else { return nil }
        let end = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
        let path = text[end...]
        guard let origin = Self.origin(text[..<end]), path.utf8.allSatisfy(Self.isOfPath) else { return nil }
        self.origin = origin
        self.text = origin + (path.isEmpty ? "/" : path)
    }

    /// The name or number of the machine, as it is looked up.
    package var host: String {
        let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? ""
        return authority.hasPrefix("[") ? String(authority.dropFirst().prefix { $0 != "]" }) : String(authority.prefix { $0 != ":" })
    }

    /// As an origin of a frame, which has no number of IPv6, because no policy has one; a service of this machine may have that, by http.
    private static func origin(_ text: Substring) -> String? {
        let (four, six) = ("http://127.0.0.1", "http://[::1]")
        let lower = text.lowercased()
        let tail = lower.dropFirst(six.count)
        guard lower.hasPrefix(six), tail.isEmpty || tail.hasPrefix(":") else { return FrameOrigin(String(text))?.text }
        return FrameOrigin(four + tail).map { six + $0.text.dropFirst(four.count) }
    }

    /// What stands in a path as it is (RFC 3986 §3.3), with the percent sign of what does not.
    private static func isOfPath(_ byte: UInt8) -> Bool { PercentEscape.isUnreserved(byte) || "!$&'()*+,;=:@/%".utf8.contains(byte) }
}
