/// What stands behind the host of an address (RFC 3986 §3.2.3): nothing, or a colon and a number from 1 to 65535 as one writes it. At 0 nobody can be
/// reached, and of `05000` two readers could make two ports.
enum URIPort {
    static func allows(_ tail: some StringProtocol) -> Bool { tail.isEmpty || isOne(tail) }

    private static func isOne(_ tail: some StringProtocol) -> Bool {
        let digits = tail.dropFirst()
        return tail.hasPrefix(":") && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && digits.first != "0" && UInt16(digits) != nil
    }
}
