extension String {
    /// Whether it is that name of a field, or such a word of a value, whatever the case of its letters (RFC 9110 §5.1).
    /// - Parameter word: in lower case.
    func isWord(_ word: StaticString) -> Bool {
        guard utf8.count == word.utf8CodeUnitCount else { return false }
        // As it lies in memory: character by character it costs five times as much.
        var text = self
        return text.withUTF8 { text in
            word.withUTF8Buffer { word in
                zip(text, word).allSatisfy { byte, letter in byte == letter || (65...90).contains(byte) && byte | 0x20 == letter }
            }
        }
    }
}
