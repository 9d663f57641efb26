import Foundation
import NIOCore

/// The other end of a connection, as far as limits tell one from another: an IPv4 address, or the /64 of an IPv6 address, which is what one household
/// or machine is given.
package struct Peer: Hashable, Sendable, CustomStringConvertible {
    /// The address, or its part, in network order.
    private let bytes: [UInt8]

    /// Nil for what has no address, a Unix domain socket for example.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
        case .v6(let address):
            let all = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
            let isMapped = all[..<10].allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            bytes = isMapped ? Array(all[12...]) : Array(all[..<8])
        case .unixDomainSocket: return nil
        }
    }

    package var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: bytes.count, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }
}
