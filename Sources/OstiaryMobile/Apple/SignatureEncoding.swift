/// ECDSA signatures between the two encodings of the world, on every system.
enum SignatureEncoding {
    /// The 64 raw bytes r || s of a P-256 signature in DER, as the Security framework makes it; nil for anything else.
    static func raw(fromDER bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 2, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else { return nil }
        var rest = bytes.dropFirst(2)
        guard let r = number(&rest), let s = number(&rest), rest.isEmpty else { return nil }
        return r + s
    }

    /// One positive INTEGER of at most 256 bits, in 32 bytes.
    private static func number(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.popFirst() == 0x02, let length = bytes.popFirst(), (1...33).contains(length), bytes.count >= length else { return nil }
        let encoded = bytes.prefix(Int(length))
        bytes = bytes.dropFirst(Int(length))
        guard let first = encoded.first, first & 0x80 == 0 else { return nil }
        let digits = first == 0 ? encoded.dropFirst() : encoded
        // A leading zero is there only to keep the number positive.
        if first == 0, length > 1, digits.first.map({ $0 & 0x80 == 0 }) ?? true { return nil }
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
