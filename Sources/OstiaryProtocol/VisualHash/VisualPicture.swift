/// A mirror-symmetric pattern in one ink on one paper, drawn from 40 bits of which every one shows (docs/protocol/visual-hash.md).
///
/// 13 × 11 tiles: a frame of ink, inside it a margin of paper, inside that the pattern of 9 × 7. Frame and margin make both colours
/// visible whatever the pattern is.
package struct VisualPicture: Equatable, Sendable {
    package static let width = 13
    package static let height = 11
    private static let pattern = (columns: 9, rows: 7, free: 5)

    package let ink: PaletteColour
    package let paper: PaletteColour
    /// `height` rows of `width` tiles from the top left; true is ink.
    package let tiles: [[Bool]]

    /// Bits 39…37 choose the ink, 36 and 35 the paper, 34…0 the pattern, row by row from the top left.
    init(bits: UInt64) {
        ink = PaletteColour.inks[Int(bits >> 37 & 7)]
        paper = PaletteColour.papers[Int(bits >> 35 & 3)]
        tiles = (0..<Self.height).map { row in
            (0..<Self.width).map { column in Self.isInk(column: column, row: row, bits: bits) }
        }
    }

    package func colour(column: Int, row: Int) -> PaletteColour { tiles[row][column] ? ink : paper }

    private static func isInk(column: Int, row: Int, bits: UInt64) -> Bool {
        let onFrame = column == 0 || row == 0 || column == width - 1 || row == height - 1
        if onFrame { return true }
        let (x, y) = (column - 2, row - 2)
        guard (0..<pattern.columns).contains(x), (0..<pattern.rows).contains(y) else { return false }
        let mirrored = min(x, pattern.columns - 1 - x)
        let position = y * pattern.free + mirrored
        return bits >> UInt64(pattern.rows * pattern.free - 1 - position) & 1 == 1
    }
}

/// One of the twelve colours of the visual hash: eight inks dark enough for every one of the four papers.
package struct PaletteColour: Hashable, Sendable {
    /// For people who are told the colours.
    package let name: String
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    private init(_ name: String, _ rgb: UInt32) {
        self.name = name
        red = UInt8(rgb >> 16 & 0xFF)
        green = UInt8(rgb >> 8 & 0xFF)
        blue = UInt8(rgb & 0xFF)
    }

    /// `#rrggbb`.
    package var hex: String { "#" + Hexadecimal.text([red, green, blue]) }

    package static let inks = [
        PaletteColour("black", 0x141414), PaletteColour("red", 0xC4001A), PaletteColour("blue", 0x0B49D1), PaletteColour("green", 0x00702C),
        PaletteColour("purple", 0x6A1B9A), PaletteColour("brown", 0x6B3A0A), PaletteColour("teal", 0x006978), PaletteColour("pink", 0xBE1275),
    ]

    package static let papers = [
        PaletteColour("white", 0xFFFFFF), PaletteColour("yellow", 0xFFE45C), PaletteColour("sky blue", 0xB5E0FF),
        PaletteColour("peach", 0xFFCFA8),
    ]
}
