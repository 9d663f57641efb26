import OstiaryMobile

/// The picture of a server's identity in a terminal of 256 colours, two rows of tiles to a line.
enum VisualHashDrawing {
    static func lines(_ hash: VisualHash) -> [String] {
        stride(from: 0, to: hash.tiles.count, by: 2).map { row in
            let upper = hash.tiles[row].map(index)
            let lower = row + 1 < hash.tiles.count ? hash.tiles[row + 1].map(index) : nil
            let cells = upper.indices.map { column in
                // Without a lower row the ground stays what the terminal has.
                let ground = lower.map { ";48;5;\($0[column])" } ?? ""
                return "\u{1B}[0;38;5;\(upper[column])\(ground)m\u{2580}\u{2580}"
            }
            return cells.joined() + "\u{1B}[0m"
        }
    }

    /// The nearest of the 216 colours of the cube, whose steps are 0, 95, 135, 175, 215 and 255.
    static func index(_ colour: VisualHash.Colour) -> Int {
        16 + 36 * step(colour.red) + 6 * step(colour.green) + step(colour.blue)
    }

    private static func step(_ value: UInt8) -> Int {
        value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
    }
}
