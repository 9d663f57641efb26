/// Why a typed code is none. Told before anything is counted or compared (protocol §9).
package enum CrockfordError: Error, Equatable, Sendable {
    /// A character that is neither in the alphabet, nor one of its look-alikes, nor a space or hyphen.
    case unexpectedCharacter
    /// Too few or too many characters.
    case wrongLength
    /// The right number of characters, but more bits than the code has.
    case outOfRange
}

/// Crockford's base 32 for numbers that people read and type: no I, L, O and U (protocol §9).
package enum Crockford {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    private static let values: [UInt8: UInt8] = {
        var values: [UInt8: UInt8] = [:]
        for (value, character) in alphabet.enumerated() {
            values[character] = UInt8(value)
            values[lowercase(character)] = UInt8(value)
        }
        for lookalike in "IiLl".utf8 { values[lookalike] = 1 }
        for lookalike in "Oo".utf8 { values[lookalike] = 0 }
        return values
    }()

    /// The first `bits` bits of some bytes as a number; at most 60, and no more than there are.
    package static func leading(bits: Int, of bytes: [UInt8]) -> UInt64 {
        precondition((1...60).contains(bits) && bits <= bytes.count * 8, "leading(bits:of:) asked for \(bits) bits")
        let eight = bytes.prefix(8) + [UInt8](repeating: 0, count: max(0, 8 - bytes.count))
        return eight.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> UInt64(64 - bits)
    }

    /// `value` below 2^bits in ⌈bits / 5⌉ characters, most significant first.
    package static func encode(_ value: UInt64, bits: Int) -> String {
        precondition((1...60).contains(bits) && value >> UInt64(bits) == 0, "a Crockford number of \(bits) bits is too large")
        let characters = stride(from: (characterCount(bits) - 1) * 5, through: 0, by: -5).map { alphabet[Int(value >> UInt64($0) & 31)] }
        return String(decoding: characters, as: UTF8.self)
    }

    /// What a person typed: either case, I and L as 1, O as 0, spaces and hyphens anywhere.
    package static func decode(_ text: String, bits: Int) throws(CrockfordError) -> UInt64 {
        precondition((1...60).contains(bits), "a Crockford number has 1 to 60 bits")
        var value: UInt64 = 0
        var count = 0
        for character in text.utf8 where character != UInt8(ascii: " ") && character != UInt8(ascii: "-") {
            guard let digit = values[character] else { throw .unexpectedCharacter }
            guard count < characterCount(bits) else { throw .wrongLength }
            value = value << 5 | UInt64(digit)
            count += 1
        }
        guard count == characterCount(bits) else { throw .wrongLength }
        guard value >> UInt64(bits) == 0 else { throw .outOfRange }
        return value
    }

    private static func characterCount(_ bits: Int) -> Int { (bits + 4) / 5 }

    private static func lowercase(_ character: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character) ? character | 0x20 : character
    }
}
