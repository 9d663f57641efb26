/// What a device shows as a QR code (RFC 8628 §3.3.1): the address of the page where its code is typed, with the code. Any camera opens it, and a phone that has
/// an account at that server brings it there.
package struct VerificationLink: Equatable, Sendable {
    /// Bytes of one, at most (protocol §2).
    package static let mostBytes = 512
    /// Between the address of the page and the code.
    package static let query = "?user_code="
    /// At the end of the page's path.
    private static let page = "/device"

    package let text: String
    /// Scheme, host and port, as they are written.
    package let origin: String

    /// Nil for anything else. Whether there is such a page, and such a code, its server knows.
    package init?(_ text: String) {
        // One line that can be seen: what an address is made of, and nothing that comes behind it.
        guard text.utf8.count <= Self.mostBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.utf8.contains(UInt8(ascii: "#"))
        else { return nil }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "https:" || parts[0] == "http:", parts[1].isEmpty, !parts[2].isEmpty, !parts[2].contains("?")
        else { return nil }
        let path = "/\(parts[3])".split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let start = Self.query.dropFirst()
        guard path.count == 2, path[0].hasSuffix(Self.page), path[1].hasPrefix(start) else { return nil }
        let code = path[1].dropFirst(start.count)
        guard !code.isEmpty, !code.contains("&") else { return nil }
        self.text = text
        origin = "\(parts[0])//\(parts[2])"
    }

    /// The code that it brings to the page at this address; nil where it is another's.
    package static func code(in text: String, for page: String) -> String? {
        let start = page + query
        return text.hasPrefix(start) ? String(text.dropFirst(start.count)) : nil
    }
}
