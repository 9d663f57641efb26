import HTTPService
import OstiaryProtocol
import QRCode

/// A picture of square tiles in two colours: a QR code or a visual hash, small enough to travel every second and drawn as SVG by the page.
struct TilePicture {
    let columns: Int
    let rows: Int
    /// Row by row, one bit a tile, the first tile in the highest bit.
    let bits: [UInt8]
    let ink: String
    let paper: String

    /// A QR code of these bytes with the standard's margin.
    init(code bytes: [UInt8]) throws(QRSymbolError) {
        let symbol = try QRSymbol(bytes: bytes)
        let margin = QRSymbol.quietZone
        columns = symbol.side + 2 * margin
        rows = columns
        bits = Self.packed(columns: columns, rows: rows) { symbol.isDark(column: $0 - margin, row: $1 - margin) }
        ink = "#000"
        paper = "#fff"
    }

    init(_ picture: VisualPicture) {
        columns = VisualPicture.width
        rows = VisualPicture.height
        bits = Self.packed(columns: columns, rows: rows) { column, row in picture.tiles[row][column] }
        ink = picture.ink.hex
        paper = picture.paper.hex
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("columns", number: columns)
            writer.member("rows", number: rows)
            writer.member("bits", Base64URL.encode(bits))
            writer.member("ink", ink)
            writer.member("paper", paper)
        }
    }

    private static func packed(columns: Int, rows: Int, isInk: (Int, Int) -> Bool) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (columns * rows + 7) / 8)
        for row in 0..<rows {
            for column in 0..<columns where isInk(column, row) {
                let tile = row * columns + column
                bits[tile / 8] |= 0x80 >> UInt8(tile % 8)
            }
        }
        return bits
    }
}
