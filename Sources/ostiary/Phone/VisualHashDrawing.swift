import OstiaryProtocol

/// The picture of a server's identity in a terminal of 256 colours, two tiles to a character.
enum VisualHashDrawing {
    /// Lines of half blocks; the last row of an odd number stands alone.
    static func lines(_ picture: VisualPicture) -> [String] {
        stride(from: 0, to: VisualPicture.height, by: 2).map { row in
            let cells = (0..<VisualPicture.width).map { column in
                let upper = index(picture.colour(column: column, row: row))
                guard row + 1 < VisualPicture.height else { return "\u{1B}[0;38;5;\(upper)m\u{2580}\u{2580}" }
                let lower = index(picture.colour(column: column, row: row + 1))
                return "\u{1B}[38;5;\(upper);48;5;\(lower)m\u{2580}\u{2580}"
            }
            return cells.joined() + "\u{1B}[0m"
        }
    }

    /// The nearest of the 216 colours of the cube, whose steps are 0, 95, 135, 175, 215 and 255.
    static func index(_ colour: PaletteColour) -> Int {
        16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue)
    }

    private static func step(_ value: UInt8) -> Int {
        value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
    }
}
