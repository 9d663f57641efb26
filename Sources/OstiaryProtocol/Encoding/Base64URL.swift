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
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value != 255 else { return nil }
            buffer = (buffer << 6 | UInt32(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard bits < 6, buffer & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return bytes
    }
}
