import HTTPService
import OstiaryProtocol

/// A visual hash as a picture of square tiles in two colours, which the page draws.
struct TilePicture {
    let columns: Int
    let rows: Int
    /// Row by row, one bit a tile, the first tile in the highest bit.
    let bits: [UInt8]
    let ink: String
    let paper: String

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
