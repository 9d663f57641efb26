extension String {
    /// Whether it is that name of a field, or such a word of a value, whatever the case of its letters (RFC 9110 §5.1).
    /// - Parameter word: in lower case.
    func isWord(_ word: StaticString) -> Bool {
        guard utf8.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            var place = 0
            for byte in utf8 {
                guard byte == word[place] || (65...90).contains(byte) && byte | 0x20 == word[place] else { return false }
                place += 1
            }
            return true
        }
    }
}
