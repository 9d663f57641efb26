import Foundation

/// Whether a text can hold the 128 bits that guessing must cost: its length times what a character of its alphabet can tell.
///
/// It finds the short, the made-up and the repeated; that the key was drawn at random only its maker knows.
func holdsEnough(_ key: String) -> Bool {
    let characters = Array(key.utf8)
    return Double(characters.count) * log2(alphabet(of: characters)) >= 128 && Set(characters).count >= 8
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
