/// base64url without padding (RFC 4648 §5); the decoder takes exactly one spelling of each value.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: length(of: bytes)) { write(bytes, to: $0) }
    }

    /// How many characters ``encode(_:)`` makes of some bytes.
    package static func length(of bytes: [UInt8]) -> Int { (bytes.count * 4 + 2) / 3 }

    /// Writes the characters of some bytes to a place that has room for ``length(of:)`` of them.
    /// - Returns: how many there are.
    package static func write(_ bytes: [UInt8], to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        alphabet.withUnsafeBufferPointer { alphabet in bytes.withUnsafeBufferPointer { encode($0, as: text, by: alphabet) } }
    }

    /// - Returns: how many characters were written.
    private static func encode(
        _ bytes: UnsafeBufferPointer<UInt8>, as text: UnsafeMutableBufferPointer<UInt8>, by alphabet: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var (start, count) = (0, 0)
        while start + 3 <= bytes.count {
            let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
            text[count] = alphabet[group >> 18]
            text[count + 1] = alphabet[group >> 12 & 63]
            text[count + 2] = alphabet[group >> 6 & 63]
            text[count + 3] = alphabet[group & 63]
            (start, count) = (start + 3, count + 4)
        }
        let rest = bytes.count - start
        guard rest > 0 else { return count }
        let group = Int(bytes[start]) << 16 | (rest == 2 ? Int(bytes[start + 1]) << 8 : 0)
        for place in 0...rest { text[count + place] = alphabet[group >> (18 - 6 * place) & 63] }
        return count + rest + 1
    }

    /// Nil for any other character, an impossible length, or bits left over that are not zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let decoded = text.utf8.withContiguousStorageIfAvailable({ decode($0) }) { return decoded }
        return Array(text.utf8).withUnsafeBufferPointer { decode($0) }
    }

    /// The same of a text as it lies in memory.
    package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var isText = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, count in
            values.withUnsafeBufferPointer { values in
                var buffer: UInt32 = 0
                var bits = 0
                for character in text {
                    let value = values[Int(character)]
                    isText = isText && value != 255
                    buffer = (buffer << 6 | UInt32(value & 63)) & 0xFFFF
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes[count] = UInt8(truncatingIfNeeded: buffer >> UInt32(bits))
                        count += 1
                    }
                }
                isText = isText && bits < 6 && buffer & ((1 << UInt32(bits)) - 1) == 0
            }
        }
        return isText ? bytes : nil
    }
}
