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
    package let origin: FrameOrigin

    /// Nil for everything else.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes, let scheme = text.firstRange(of: "://") else { return nil }
        let end = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
        let path = text[end...]
        guard let origin = FrameOrigin(String(text[..<end])), path.utf8.allSatisfy(Self.isOfPath) else { return nil }
        self.origin = origin
        self.text = origin.text + (path.isEmpty ? "/" : path)
    }

    /// The name or number of the machine, as it is looked up.
    package var host: String {
        let authority = origin.text.firstRange(of: "://").map { origin.text[$0.upperBound...] } ?? ""
        return String(authority.prefix { $0 != ":" })
    }

    /// What stands in a path as it is (RFC 3986 §3.3), with the percent sign of what does not.
    private static func isOfPath(_ byte: UInt8) -> Bool { PercentEscape.isUnreserved(byte) || "!$&'()*+,;=:@/%".utf8.contains(byte) }
}
