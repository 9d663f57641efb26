import Foundation

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

    /// Whether a transport may call it.
    package static func isAllowed(_ url: URL) -> Bool {
        guard let host = url.host, !host.isEmpty, url.user == nil, url.password == nil else { return false }
        switch url.scheme?.lowercased() {
        case "https": return true
        case "http": return isLoopback(host.lowercased())
        default: return false
        }
    }

    /// localhost, ::1, and the four-part numbers that begin with 127.
    package static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return parts.count == 4 && parts.allSatisfy { $0 != nil } && parts.first == 127
    }
}
