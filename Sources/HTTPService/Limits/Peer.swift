import Foundation
import NIOCore

/// The other end of a connection, as far as limits tell one from another: an IPv4 address, also one that is written into an IPv6 address, or the
/// /64 of an IPv6 address, which is what one household or machine is given.
package struct Peer: Hashable, Sendable, CustomStringConvertible {
    /// The address, or its part, in network order.
    private let bytes: [UInt8]

    /// Nil for what has no address, a Unix domain socket for example.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            bytes = Self.prefixesOfIPv4.contains(Array(all[..<12])) ? Array(all[12...]) : Array(all[..<8])
        case .unixDomainSocket: return nil
        }
    }

    /// ::ffff:0:0/96, as a socket for both writes it, and 64:ff9b::/96, as a translator does (RFC 6052): all of IPv4 would be one peer.
    private static let prefixesOfIPv4: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
    ]

    package var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        return Self.text(of: bytes) + "::/64"
    }

    /// The /56 that the /64 is in, which is the most that one household is given; nil of an IPv4 address.
    package var network: String? { bytes.count == 4 ? nil : Self.text(of: bytes.dropLast() + [0]) + "::/56" }

    private static func text(of bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}
