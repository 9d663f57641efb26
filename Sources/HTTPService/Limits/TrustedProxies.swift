import Foundation
import NIOCore

/// Proxies whose word is taken for where a request comes from (`X-Forwarded-For`). Anybody else may write there what they like, and it is not read.
package struct TrustedProxies: Sendable, Equatable {
    package static let none = TrustedProxies([])

    private let proxies: [TrustedProxy]

    package init(_ proxies: [TrustedProxy]) { self.proxies = proxies }

    /// Who asked the first of the proxies that a request came through: the last address of the list that is no proxy's of ours. What stands before it was
    /// written by whom it names, or somebody behind them.
    /// - Parameters:
    ///   - address: of the other end of the connection; nil where it has none.
    ///   - forwarded: the values of all `X-Forwarded-For`, in their order.
    /// - Returns: nil where the other end is no such proxy, or says nothing that is an address.
    func origin(of address: SocketAddress?, forwarded: [String]) -> SocketAddress? {
        var origin: SocketAddress?
        var entries = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }[...]
        while trusts(origin ?? address), let last = entries.popLast(), let next = Self.address(last) { origin = next }
        return origin
    }

    func trusts(_ address: SocketAddress?) -> Bool { proxies.contains { $0.includes(address) } }

    /// An entry as proxies write it: an address, IPv6 in brackets or not, and some with the port.
    private static func address(_ entry: Substring) -> SocketAddress? {
        var text = entry.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "[", let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.contains("."), text.count(where: { $0 == ":" }) == 1 {
            text = text.prefix { $0 != ":" }
        }
        return try? SocketAddress(ipAddress: String(text), port: 0)
    }
}

/// One of them, or all of a network.
package enum TrustedProxy: Sendable, Hashable {
    /// The first bits of an address, 4 or 16 bytes in network order.
    case network([UInt8], bits: Int)
    /// Whatever has no address: who comes by a Unix domain socket.
    case socket

    /// `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`, or `unix`.
    /// - Throws: ``Expected``.
    package init(parsing text: String) throws(Expected) {
        guard text != "unix" else {
            self = .socket
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = try? SocketAddress(ipAddress: String(parts[0]), port: 0), let bytes = address.networkBytes else { throw Self.expected }
        guard parts.count == 2 else {
            self = .network(bytes, bits: bytes.count * 8)
            return
        }
        guard let bits = Int(parts[1]), (1...bytes.count * 8).contains(bits), String(bits) == parts[1], Self.first(bits, of: bytes) == bytes else {
            throw Self.expected
        }
        self = .network(bytes, bits: bits)
    }

    private static var expected: Expected {
        Expected("addresses and networks such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32, or unix, separated by commas; none that is everybody")
    }

    func includes(_ address: SocketAddress?) -> Bool {
        switch (self, address?.networkBytes) {
        case (.socket, nil): true
        case (.network(let network, let bits), let bytes?): network.count == bytes.count && Self.first(bits, of: bytes) == network
        case (.socket, .some), (.network, nil): false
        }
    }

    /// An address whose other bits are 0.
    private static func first(_ bits: Int, of bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { place, byte in
            let kept = min(8, max(0, bits - place * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}

extension SocketAddress {
    /// In network order: 4 bytes, also of an IPv4 address that a socket for both writes into an IPv6 address, or 16; nil for what has none.
    fileprivate var networkBytes: [UInt8]? {
        switch self {
        case .v4(let address): return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            return Array(all[..<12]) == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] ? Array(all[12...]) : all
        case .unixDomainSocket: return nil
        }
    }
}
