import Authentication
import Foundation
import HTTPService
import OstiaryProtocol

/// Where a browser may be sent after a login: a place on this site, an https address, or a loopback address for development.
package struct ReturnURL: Sendable, Equatable {
    /// An L2 has room for so many.
    static let mostBytes = 2_048

    package let text: String

    /// Nil for everything else: other schemes, user names in the address, backslashes, white space and whatever browsers read in two ways.
    package init?(_ text: String) {
        guard (1...Self.mostBytes).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) else { return nil }
        guard Self.isOnThisSite(text) || Self.hasAllowedOrigin(text) else { return nil }
        self.text = text
    }

    /// The address for an app or another site, which know nothing of this one.
    func absolute(at origin: PublicURL) -> String { text.hasPrefix("/") ? "\(origin)\(text)" : text }

    /// The address with the code of a login, for the one browser that brings it back.
    func adding(_ code: ReturnCode) -> String { ReturnAddress.text(text, code: code.exposed) }

    /// Whether the address brings a code of its own, so that nobody could tell which of two is ours.
    var hasCode: Bool {
        let query = text.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").contains { part in
            // Backends read names decoded; one that cannot be decoded is read in as many ways as there are readers.
            String(part.prefix { $0 != "=" }).removingPercentEncoding.map { $0 == ReturnAddress.codeName } ?? true
        }
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
