/// base64url without padding (RFC 4648 §5); the decoder takes exactly one spelling of each value.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text in
            alphabet.withUnsafeBufferPointer { alphabet in
                var count = 0
                for start in stride(from: 0, to: bytes.count, by: 3) {
                    let length = min(3, bytes.count - start)
                    var group: UInt32 = 0
                    for place in 0..<3 { group = group << 8 | (place < length ? UInt32(bytes[start + place]) : 0) }
                    for place in 0...length {
                        text[count] = alphabet[Int(group >> UInt32(18 - 6 * place) & 63)]
                        count += 1
                    }
                }
                return count
            }
        }
    }

    /// Nil for any other character, an impossible length, or bits left over that are not zero.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let decoded = text.utf8.withContiguousStorageIfAvailable({ decode($0) }) { return decoded }
        return Array(text.utf8).withUnsafeBufferPointer { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
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
