import OstiaryMobile

/// The digits of one question while a person types them. They stay in locked memory; the page is told how many there are and no more.
struct PINPad: Sendable {
    /// A key of the pad.
    enum Key: Sendable, Equatable {
        case digit(UInt8)
        case back, clear, enter

        /// As the page names it: `0` to `9`, `back`, `clear`, `enter`.
        init?(_ name: String) {
            switch name {
            case "back": self = .back
            case "clear": self = .clear
            case "enter": self = .enter
            default:
                let bytes = Array(name.utf8)
                guard bytes.count == 1, (48...57).contains(bytes[0]) else { return nil }
                self = .digit(bytes[0] - 48)
            }
        }
    }

    /// What the person is told of what was typed, before anybody else sees it.
    enum Complaint: Sendable, Equatable {
        case length, easy, differ

        var words: String {
            switch self {
            case .length: "A PIN has \(PIN.fewestDigits) to \(PIN.mostDigits) digits."
            case .easy: "That PIN is easy to guess: choose another."
            case .differ: "The two differ: choose a PIN again."
            }
        }
    }

    /// Whether a new PIN is chosen, which is typed twice.
    let isNew: Bool
    private var typed = PIN()
    /// The new PIN as it was typed first.
    private var first: PIN?
    /// More digits than a PIN has: the first twelve of them would be another PIN than was typed.
    private var isTooLong = false
    private(set) var complaint: Complaint?

    init(isNew: Bool) { self.isNew = isNew }

    /// How many digits stand there.
    var count: Int { typed.count }
    /// Whether a new PIN is being typed for the second time.
    var isAgain: Bool { first != nil }

    /// - Returns: a PIN to hand over, once; nil while more is to be typed. Whoever gets it clears it.
    mutating func press(_ key: Key) -> PIN? {
        switch key {
        case .digit(let digit):
            if count == PIN.mostDigits { isTooLong = true }
            typed.append(digit: digit)
            complaint = nil
        case .back where isTooLong: clear()
        case .back: typed.removeLast()
        case .clear: clear()
        case .enter: return enter()
        }
        return nil
    }

    /// Wipes all that was typed.
    mutating func wipe() {
        clear()
        first?.clear()
        first = nil
        complaint = nil
    }

    private mutating func clear() {
        typed.clear()
        isTooLong = false
    }

    private mutating func enter() -> PIN? {
        guard count > 0 else { return nil }
        guard !isTooLong, count >= PIN.fewestDigits else { return refuse(.length) }
        guard isNew else { return handOver() }
        guard let first else {
            guard !typed.isEasyToGuess else { return refuse(.easy) }
            (first, typed, complaint) = (typed, PIN(), nil)
            return nil
        }
        let isSame = first.matches(typed)
        first.clear()
        self.first = nil
        return isSame ? handOver() : refuse(.differ)
    }

    private mutating func refuse(_ complaint: Complaint) -> PIN? {
        clear()
        self.complaint = complaint
        return nil
    }

    private mutating func handOver() -> PIN {
        defer { (typed, complaint) = (PIN(), nil) }
        return typed
    }
}
