/// Text on the wire: UTF-8 without control characters (a line feed is allowed) and without direction overrides (protocol §2).
package enum WireText {
    package static func decode(_ bytes: [UInt8]) throws(WireError) -> String {
        if bytes.allSatisfy(isPrintableASCII) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.allSatisfy(isAllowed) else { throw .badText }
        return text
    }

    /// Whether a text may travel as it stands, in at most `cap` bytes of UTF-8.
    package static func allows(_ text: String, cap: Int) -> Bool {
        text.utf8.count <= cap && (text.utf8.allSatisfy(isPrintableASCII) || text.unicodeScalars.allSatisfy(isAllowed))
    }

    /// The text's bytes; what may not travel is dropped, and what is too long is cut at a character.
    static func encode(_ text: String, cap: Int) -> [UInt8] {
        if allows(text, cap: cap) { return Array(text.utf8) }
        var kept: [UInt8] = []
        for scalar in text.unicodeScalars where isAllowed(scalar) {
            let next = Array(String(scalar).utf8)
            guard kept.count + next.count <= cap else { break }
            kept += next
        }
        return kept
    }

    /// What most texts are made of, and all of it is allowed: characters need not be decoded to tell.
    private static func isPrintableASCII(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: true
        case 0x00...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: false
        default: true
        }
    }
}
