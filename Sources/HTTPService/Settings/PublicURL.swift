import OstiaryProtocol

/// An origin that others reach a server under: `https://host[:port]`, or `http://` if the host is this machine.
///
/// Nothing but an origin is accepted, so that a path is never lost or doubled when links are made from it.
package struct PublicURL: Sendable, Hashable, CustomStringConvertible {
    /// Whether the scheme is https.
    package let isSecure: Bool
    /// Lower case; an IPv6 address without brackets.
    package let host: String
    /// The port if it is not the scheme's own.
    package let port: Int?

    /// - Throws: ``PublicURLError``.
    package init(parsing text: String) throws(PublicURLError) {
        guard let separator = text.firstRange(of: "://") else { throw .noScheme }
        let scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .otherScheme(scheme) }
        isSecure = scheme == "https"
        var authority = text[separator.upperBound...]
        if authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.contains(where: { "/?#@\\".contains($0) }) else { throw .notAnOrigin }
        let (host, port) = try Self.split(authority)
        self.host = host.lowercased()
        self.port = port == (isSecure ? 443 : 80) ? nil : port
        guard isSecure || ThisMachine.isHost(self.host) else { throw .plainHTTP }
    }

    /// The origin as browsers write it, without a slash at the end.
    package var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return (isSecure ? "https://" : "http://") + name + (port.map { ":\($0)" } ?? "")
    }

    private static func split(_ authority: Substring) throws(PublicURLError) -> (host: String, port: Int?) {
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { throw .badHost }
            let host = authority[authority.index(after: authority.startIndex)..<close]
            let rest = authority[authority.index(after: close)...]
            guard isIPv6Literal(host), rest.isEmpty || rest.hasPrefix(":") else { throw .badHost }
            return (String(host), try port(rest))
        }
        let end = authority.firstIndex(of: ":") ?? authority.endIndex
        guard isHostName(authority[..<end]) else { throw .badHost }
        return (String(authority[..<end]), try port(authority[end...]))
    }

    /// The number after a colon; nil if there is not even a colon.
    private static func port(_ text: Substring) throws(PublicURLError) -> Int? {
        guard text.hasPrefix(":") else { return nil }
        let digits = text.dropFirst()
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0 else { throw .badPort }
        return Int(number)
    }
}

/// Why a text is no usable origin.
package enum PublicURLError: Error, Equatable, Sendable {
    case noScheme
    case otherScheme(String)
    case notAnOrigin, badHost, badPort, plainHTTP
}

extension PublicURLError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noScheme: "write an origin, for example https://login.example.org"
        case .otherScheme(let scheme): "the scheme is https, not \(scheme)"
        case .notAnOrigin: "write the origin only: no path, query, fragment or user"
        case .badHost: "the host is no name or address"
        case .badPort: "the port is a number from 1 to 65535"
        case .plainHTTP: "http is for this machine only (127.0.0.0/8, ::1, localhost): use https"
        }
    }
}
