import Foundation
import OstiaryProtocol

/// A server's origin as links and bundles give it: https, or http to this very machine (protocol §3).
package struct ServerAddress: Sendable, Hashable {
    let origin: String

    /// Nil for anything but an origin of an allowed kind.
    init?(_ text: String) {
        let origin = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: origin), Self.isAllowed(url), url.path.isEmpty, url.query == nil, url.fragment == nil else { return nil }
        self.origin = origin
    }

    func url(_ path: String) -> URL? { URL(string: origin + path) }

    /// Whether a transport may call it. An address comes out of anybody's code: one whose host or port there cannot be is asked of no client, of which some
    /// end the process over it.
    package static func isAllowed(_ url: URL) -> Bool {
        guard let host = url.host, isPlain(host), let authority = authority(url), hasPort(url, authority) else { return false }
        guard !authority.contains("%"), url.user == nil, url.password == nil else { return false }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return ThisMachine.isHost(host)
        default: return false
        }
    }

    /// A number, or a name as there can be one (RFC 1123 §2.1): parts of 1 to 63 letters, digits, `-` and `_` that begin and end with no `-`; a dot after
    /// the last is part of it. Without what only an encoding brings in: line ends, NUL, the zone of an IPv6 address.
    private static func isPlain(_ host: String) -> Bool {
        func isPart(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...122).contains(byte | 0x20) || "-_".utf8.contains(byte) }
        if host.utf8.contains(UInt8(ascii: ":")) { return host.utf8.allSatisfy { isPart($0) || ".:[]".utf8.contains($0) } }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        return name.utf8.count <= 253
            && name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                (1...63).contains(part.utf8.count) && part.utf8.allSatisfy(isPart) && !part.hasPrefix("-") && !part.hasSuffix("-")
            }
    }

    /// Host and port as they are written.
    private static func authority(_ url: URL) -> Substring? {
        let text = url.absoluteString
        return (text.range(of: "://")?.upperBound).map { start in text[start...].prefix { !"/?#".contains($0) } }
    }

    /// Whether its port is one that there is, or the scheme's own.
    private static func hasPort(_ url: URL, _ authority: Substring) -> Bool {
        if let port = url.port { return (1...65_535).contains(port) }
        // A number that is too long for any integer is no port to the parser, and to another one it may be.
        return !(authority.lastIndex(of: "]").map { authority[$0...] } ?? authority).contains(":")
    }
}
