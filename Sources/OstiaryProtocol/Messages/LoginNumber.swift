/// The number that a client shows and a person types to say yes to a login that waited (protocol §6): three digits, the first of which is no 0.
package enum LoginNumber {
    /// All that there are.
    package static let values: ClosedRange<UInt64> = 100...999
    /// Wrong ones that end a login.
    package static let mostWrong = 3

    /// Whether a text can be one, be it right or wrong.
    package static func isOne(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && !text.utf8.starts(with: [0x30])
    }
}
