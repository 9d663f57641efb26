/// The rows of one line on a terminal, while they are filled.
///
/// Our words alone are left to the terminal. From the first text of others on, a row is ended here when it is full, after a blank where there is one, and
/// the next one begins with the mark.
struct TerminalRows {
    static let mark = "    | "
    /// With less there is hardly room behind the mark.
    private static let fewestColumns = 12

    private let columns: Int
    private var ended = ""
    /// Of the row at hand: what stays in it, and behind its last blank what moves to the next row when it gets too long.
    private var (kept, word) = ("", "")
    private var (keptWidth, wordWidth) = (0, 0)
    private var holdsOthers = false

    init(columns: Int) { self.columns = max(columns, Self.fewestColumns) }

    var text: String { ended + kept + word }

    mutating func add(ours words: String) {
        guard !holdsOthers else { return put(all: words) }
        kept += words
        keptWidth += words.reduce(0) { $0 + $1.columns }
    }

    mutating func add(others text: String) {
        if !holdsOthers { beginOthers() }
        put(all: text)
    }

    private mutating func put(all text: String) {
        for character in text { put(character) }
    }

    private mutating func beginOthers() {
        holdsOthers = true
        if kept.isEmpty { beginRow() }
        // The terminal has ended rows of our words by itself.
        if keptWidth > columns { keptWidth = (keptWidth - 1) % columns + 1 }
    }

    private mutating func put(_ character: Character) {
        guard !character.isNewline else { return endRow() }
        let width = character.columns
        if character.unicodeScalars.count > 1, width > columns - Self.mark.count {
            for scalar in character.unicodeScalars { put(Character(scalar)) }
            return
        }
        if keptWidth + wordWidth + width > columns {
            if character == " " { return endRow() }
            if Self.mark.count + wordWidth + width > columns { endRow() } else { moveWord() }
        }
        word.append(character.isControl ? "\u{FFFD}" : character)
        wordWidth += width
        if character == " " { keepWord() }
    }

    private mutating func keepWord() {
        kept += word
        keptWidth += wordWidth
        (word, wordWidth) = ("", 0)
    }

    private mutating func endRow() {
        keepWord()
        moveWord()
    }

    private mutating func moveWord() {
        ended += kept + "\n"
        beginRow()
    }

    private mutating func beginRow() { (kept, keptWidth) = (Self.mark, Self.mark.count) }
}

extension Character {
    /// How many columns it takes on a terminal, at most.
    fileprivate var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// A key or command of the terminal; none of these may travel (protocol §2).
    fileprivate var isControl: Bool { unicodeScalars.allSatisfy { $0.properties.generalCategory == .control } }
}

extension Unicode.Scalar {
    /// Terminals differ about characters that join others or cannot be seen: each counts a column here, so that a row is rather too short than ended by
    /// the terminal.
    fileprivate var columns: Int { properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1 }

    /// East Asian Width W and F (UAX #11), by blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2630...0x2637, 0x268A...0x268F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1D300...0x1D376,
        0x1F000...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
