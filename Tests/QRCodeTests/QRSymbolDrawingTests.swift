import OstiaryTesting
import QRCode
import Testing

@Suite("QR symbol in a terminal")
struct QRSymbolDrawingTests {
    let symbol: QRSymbol

    init() throws {
        var random = SplitMix(seed: 1)
        symbol = try QRSymbol(bytes: random.bytes(120))
    }

    @Test("Half blocks hold the symbol: two rows a line, light modules drawn")
    func halfBlocks() throws {
        let lines = symbol.terminal(style: .plain, margin: 4).split(separator: "\n").map(Array.init)
        #expect(lines.count == (symbol.side + 8 + 1) / 2)
        for (index, line) in lines.enumerated() {
            #expect(line.count == symbol.side + 8)
            for (column, character) in line.enumerated() {
                let upper = !symbol.isDark(column: column - 4, row: 2 * index - 4)
                let lower = !symbol.isDark(column: column - 4, row: 2 * index + 1 - 4)
                let expected: Character = upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
                #expect(character == expected)
            }
        }
    }

    @Test("In colour every line sets its colours and puts them back")
    func colours() {
        let coloured = symbol.terminal().split(separator: "\n")
        let plain = symbol.terminal(style: .plain).split(separator: "\n")
        #expect(coloured.map(String.init) == plain.map { "\u{1B}[38;5;231;48;5;16m\($0)\u{1B}[0m" })
    }
}
