extension String {
    /// Whether it is that name of a field, or such a word of a value, whatever the case of its letters (RFC 9110 §5.1).
    /// - Parameter word: in lower case.
    func isWord(_ word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            utf8.count == word.count && zip(utf8, word).allSatisfy { $0 == $1 || (65...90).contains($0) && $0 | 0x20 == $1 }
        }
    }
}
