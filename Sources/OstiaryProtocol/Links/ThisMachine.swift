/// Which hosts are this very machine, so that nobody on the way reads what goes there: over http where all else is https, past a proxy, or to a database
/// without TLS.
package enum ThisMachine {
    /// One of its numbers, as one writes them: of 127.0.0.0/8 (RFC 1122 §3.2.1.3) without leading zeros, of which another reader makes another number;
    /// `::1` (RFC 4291 §2.5.3), also in the brackets of an address.
    package static func isNumber(_ host: some StringProtocol) -> Bool {
        if host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
    }

    /// The same, or its name `localhost` (RFC 6761 §6.3), in any case. No other name is: whoever answers for it says where it leads.
    package static func isHost(_ host: some StringProtocol) -> Bool { isNumber(host) || host.lowercased() == "localhost" }
}
