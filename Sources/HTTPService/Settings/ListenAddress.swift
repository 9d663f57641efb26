/// Where a server listens, written `host:port`: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`. Port 0 takes any free port.
package struct ListenAddress: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets.
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// - Throws: ``ListenAddressError``.
    package init(parsing text: String) throws(ListenAddressError) {
        guard let colon = text.lastIndex(of: ":") else { throw .noPort }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        guard !port.isEmpty, port.utf8.count <= 5, port.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(port) else {
            throw .badPort(String(port))
        }
        guard !host.isEmpty else { throw .noHost }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let inner = host.dropFirst().dropLast()
            guard isIPv6Literal(inner) else { throw .badHost(String(host)) }
            self.init(host: String(inner), port: Int(number))
        } else {
            guard !host.contains(":") else { throw .needsBrackets }
            guard isHostName(host) else { throw .badHost(String(host)) }
            self.init(host: String(host), port: Int(number))
        }
    }
}

extension ListenAddress {
    /// Whether no two sockets could listen on both: one port, and one host or every host of either.
    func meets(_ other: ListenAddress) -> Bool {
        let everyHost = ["0.0.0.0", "::"]
        return port != 0 && port == other.port && (host == other.host || everyHost.contains(host) || everyHost.contains(other.host))
    }
}

extension ListenAddress: CustomStringConvertible {
    package var description: String {
        // A Unix domain socket that was handed over.
        if host.hasPrefix("/") { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// Why a text is no listen address.
package enum ListenAddressError: Error, Equatable, Sendable {
    case noPort, noHost, needsBrackets
    case badPort(String)
    case badHost(String)
}

extension ListenAddressError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noPort: "write host:port, for example 127.0.0.1:8080"
        case .noHost: "name the host too: 127.0.0.1:PORT for this machine, 0.0.0.0:PORT for every network"
        case .needsBrackets: "write an IPv6 address in brackets: [::1]:8080"
        case .badPort(let port): "\(port.isEmpty ? "nothing" : port) is no port, which is a number from 0 to 65535"
        case .badHost(let host): "\(host) is no host name or address"
        }
    }
}

/// Whether a text has the form of a host name or an IPv4 address.
func isHostName(_ text: some StringProtocol) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == 45 }
    }
}

/// Whether a text consists of what an IPv6 address consists of; the system has the last word when it listens or connects.
func isIPv6Literal(_ text: some StringProtocol) -> Bool {
    (2...45).contains(text.utf8.count) && text.contains(":") && text.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
}
