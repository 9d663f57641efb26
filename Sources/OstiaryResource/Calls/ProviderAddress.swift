import OstiaryProtocol

/// An address that is called, or under which this API is called: https, or http to this very machine; with a host and a port that there can be, and
/// without a name, a password and a fragment. Over others a client would send secrets in the clear, or end the process.
struct ProviderAddress: Hashable, Sendable {
    let text: String
    /// Scheme and authority, without a slash behind.
    let origin: String
    /// From its first slash up to a question mark; empty for none.
    let path: String
    let hasQuery: Bool

    /// Nil for what is none.
    /// - Parameter plainHTTP: whether http may go to other machines too.
    init?(_ text: String, plainHTTP: Bool = false) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.refused.contains($0) }) else { return nil }
        guard let start = text.firstRange(of: "://")?.upperBound else { return nil }
        let scheme = text[..<start].dropLast(3)
        let end = text[start...].firstIndex { "/?".contains($0) } ?? text.endIndex
        guard let host = Self.host(text[start..<end]) else { return nil }
        guard scheme == "https" || scheme == "http" && (plainHTTP || ThisMachine.isHost(host)) else { return nil }
        self.text = text
        origin = String(text[..<end])
        let query = text[end...].firstIndex(of: "?")
        path = String(text[end..<(query ?? text.endIndex)])
        hasQuery = query != nil
    }

    /// Without slashes at its end, for an address that something is put behind.
    var withoutTrailingSlash: String {
        var text = Substring(text)
        while text.hasSuffix("/") { text = text.dropLast() }
        return String(text)
    }

    private static let refused = Set("\"\\<>^`{|}#@".utf8)

    /// The host of an authority with a port that there can be.
    private static func host(_ authority: Substring) -> Substring? {
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map { authority.index(after: $0) } : authority.firstIndex(of: ":")
        let host = authority[..<(end ?? authority.endIndex)]
        let tail = end.map { authority[$0...] } ?? ""
        guard tail.isEmpty || isPort(tail) else { return nil }
        return isName(host) || isBracketed(host) ? host : nil
    }

    private static func isPort(_ tail: Substring) -> Bool {
        let digits = tail.dropFirst()
        return tail.hasPrefix(":") && digits.utf8.allSatisfy(isDigit) && digits.first != "0" && UInt16(digits) != nil
    }

    private static func isName(_ host: Substring) -> Bool {
        host.utf8.count <= 253
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { isDigit($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D || $0 == 0x5F }
            }
    }

    private static func isBracketed(_ host: Substring) -> Bool {
        host.count > 2 && host.hasPrefix("[") && host.hasSuffix("]")
            && host.dropFirst().dropLast().utf8.allSatisfy { isDigit($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x3A || $0 == 0x2E }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
