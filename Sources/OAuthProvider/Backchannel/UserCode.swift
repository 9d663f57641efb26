import OstiaryProtocol

/// What a person types who was shown a code by a device (RFC 8628 §6.1): eight consonants, no word among them and none that looks like another. 34
/// bits, which hold because tries are limited (`Pace.userCodes`).
package struct UserCode: Sendable {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")
    static let count = 8

    private let letters: String

    package init(using random: any RandomSource) {
        var letters = ""
        while letters.count < Self.count {
            // 240 is the greatest multiple of 20 in a byte: what is above would make some letters likelier.
            for byte in random.bytes(16) where byte < 240 && letters.count < Self.count { letters.append(Self.alphabet[Int(byte) % 20]) }
        }
        self.letters = letters
    }

    /// As people type it: in either case, with spaces and hyphens anywhere; nil for anything else.
    package init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let letters = text.uppercased().filter { $0 != "-" && $0 != " " }
        guard letters.count == Self.count, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        self.letters = letters
    }

    /// As it is shown: two groups of four.
    package var shown: String { "\(letters.prefix(4))-\(letters.suffix(4))" }
    package var hash: [UInt8] { SHA(letters.utf8) }
}

extension UserCode: CustomStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Pace {
    /// How often somebody may type a code that none is (RFC 8628 §5.1): five in five minutes from one place. With a hundred codes waiting, a place that tries
    /// for a whole day hits one with a probability of 6 in a million, and all that comes by one proxy with 6 in ten thousand.
    package static let userCodes = Pace(5, in: 300)
}
