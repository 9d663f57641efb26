import OstiaryProtocol

/// What a person types who was shown a code by a device (RFC 8628 §6.1): eight consonants, no word among them and none that looks like another. 34
/// bits, which hold because tries are limited (`UserCodeTries`).
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

/// How often somebody may type a code that none is (RFC 8628 §5.1): five in five minutes from one place. With a hundred codes waiting, a place that
/// tries for a whole day hits one with a probability of 6 in a million.
package struct UserCodeTries: Hashable, Sendable {
    package static let most = 5
    /// Seconds.
    package static let span: UInt64 = 300

    /// When wrong codes were typed, the oldest first; older ones than the span count for nothing.
    package private(set) var wrong: [Instant]

    package init(wrong: [Instant] = []) { self.wrong = wrong }

    package func isLocked(at now: Instant) -> Bool { recent(at: now).count >= Self.most }

    package func afterWrong(at now: Instant) -> UserCodeTries { UserCodeTries(wrong: recent(at: now) + [now]) }

    private func recent(at now: Instant) -> [Instant] { wrong.filter { now.seconds(since: $0) < Self.span } }
}
