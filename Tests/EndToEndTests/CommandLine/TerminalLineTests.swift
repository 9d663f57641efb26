import Foundation
import OstiaryProgram
import Testing

@Suite("Lines with text of others on a terminal")
struct TerminalLineTests {
    private func rows(_ line: TerminalLine, _ columns: Int) -> [String] { line.text(columns: columns).components(separatedBy: "\n") }

    @Test("A line of the phone's own words is left as it is, however long; one that a text of others begins has the mark in front")
    func beginnings() {
        let long = String(repeating: "word ", count: 60)
        #expect(TerminalLine(ours: long).text(columns: 20) == long)
        #expect(rows("\(others: "Shop"): over", 80) == ["    | Shop: over"])
        #expect(rows("as \(others: "Bob")", 80) == ["as Bob"])
        #expect(rows("\(ours: long)\(others: "x")", 20) == [long, "    | x"], "the terminal has filled the last row with ours")
    }

    @Test("A row ends behind a blank, so that no number is taken apart; where there is none, when it is full")
    func breaks() {
        #expect(rows("\(others: "Pay to Bob and Carol 9000 EUR")", 30) == ["    | Pay to Bob and Carol ", "    | 9000 EUR"])
        #expect(rows("\(others: "0123456789ABC")", 12) == ["    | 012345", "    | 6789AB", "    | C"])
        // The blank that no longer fits is the end of the row.
        #expect(rows("as \(others: "012345678 is me")", 12) == ["as 012345678", "    | is me"])
    }

    @Test("Every line end in a text of others begins a marked row, and keys of the terminal are shown as a sign")
    func lineEnds() {
        #expect(rows("as \(others: "a\nb\r\nc\u{2028}d\u{2029}e")", 80) == ["as a", "    | b", "    | c", "    | d", "    | e"])
        #expect(rows("as \(others: "\n\n")", 80) == ["as ", "    | ", "    | "])
        #expect(rows("as \(others: "a\u{1B}[2Kb\u{9B}c")", 80) == ["as a\u{FFFD}[2Kb\u{FFFD}c"])
    }

    @Test("Rows are measured by columns: wide characters take two, and what joins others or cannot be seen takes one, as on some terminals")
    func widths() {
        let wide = String(repeating: "\u{6F22}", count: 40)
        #expect(rows("\(others: wide)", 40).map(\.count) == [6 + 17, 6 + 17, 6 + 6])
        for part in ["\u{1F469}\u{200D}", "\u{301}", "\u{200B}"] {
            let rows = rows("\(others: String(repeating: part, count: 300))", 40)
            #expect(rows.allSatisfy { $0.unicodeScalars.starts(with: "    | ".unicodeScalars) && $0.unicodeScalars.count <= 40 })
            #expect(rows.count > 8)
        }
    }

    @Test("A row is as wide as the terminal says, and has 80 columns where it does not say, or is none")
    func terminals() throws {
        let terminal = try PseudoTerminal()
        #expect(StandardStreams.columns(of: terminal.handle.fileDescriptor) == 80)
        var size = winsize(ws_row: 20, ws_col: 33, ws_xpixel: 0, ws_ypixel: 0)
        #expect(ioctl(terminal.handle.fileDescriptor, UInt(TIOCSWINSZ), &size) == 0)
        #expect(StandardStreams.columns(of: terminal.handle.fileDescriptor) == 33)
        #expect(StandardStreams.columns(of: Pipe().fileHandleForWriting.fileDescriptor) == 80)
    }
}
