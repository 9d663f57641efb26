import Foundation

/// Whether a text can hold the 128 bits that guessing must cost: its length times what a character of its alphabet can tell. What repeats counts
/// once.
///
/// It finds the short, the made-up and the repeated; that the key was drawn at random only its maker knows. Of keys of 32 random hexadecimal digits one
/// in 2^64 repeats itself, and one in three million has no letter; of longer ones none that anybody will see is refused.
func holdsEnough(_ key: String) -> Bool {
    let characters = pattern(of: Array(key.utf8))
    return Double(characters.count) * log2(alphabet(of: characters)) >= 128 && Set(characters).count >= 8
}

/// The shortest beginning of which a text is at least two rounds, the last one maybe cut; the whole text if there is none.
private func pattern(of text: [UInt8]) -> [UInt8] {
    let lengths = 1..<(text.count / 2 + 1)
    let length = lengths.first { length in zip(text, text.dropFirst(length)).allSatisfy { $0 == $1 } }
    return Array(text.prefix(length ?? text.count))
}

private func alphabet(of characters: [UInt8]) -> Double {
    if characters.allSatisfy({ (48...57).contains($0) }) { return 10 }
    if characters.allSatisfy(isHexadecimal) { return 16 }
    return isOneCase(characters) ? 32 : 64
}

private func isHexadecimal(_ character: UInt8) -> Bool {
    (48...57).contains(character) || (97...102).contains(character | 0x20)
}

private func isOneCase(_ characters: [UInt8]) -> Bool {
    !(characters.contains { (65...90).contains($0) } && characters.contains { (97...122).contains($0) })
}
