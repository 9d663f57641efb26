import HTTPService

/// Where a browser may be sent after a login: a place on this site, an https address, or a loopback address for development.
package struct ReturnURL: Sendable, Equatable {
    package let text: String

    /// Nil for everything else: other schemes, user names in the address, backslashes, white space and whatever browsers read in two ways.
    package init?(_ text: String) {
        guard (1...2_048).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else { return nil }
        guard Self.isOnThisSite(text) || Self.hasAllowedOrigin(text) else { return nil }
        self.text = text
    }

    /// Printable ASCII without the characters that have to be escaped in an address, and without the backslash, which browsers read as a slash.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !#""<>\^`{|}"#.utf8.contains(byte)
    }

    /// `//host` is another site.
    private static func isOnThisSite(_ text: String) -> Bool { text.hasPrefix("/") && !text.hasPrefix("//") }

    private static func hasAllowedOrigin(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://") else { return false }
        let authority = text[separator.upperBound...].prefix { !"/?#".contains($0) }
        return (try? PublicURL(parsing: String(text[..<separator.upperBound]) + authority)) != nil
    }
}
