import HTTPService
import Hummingbird
import OstiaryProtocol
import QRCode

/// Answers with pictures and bytes.
enum AdminImage {
    /// How a code is answered.
    enum CodeFormat: Equatable, Sendable {
        case bytes
        case png(pixels: Int)
    }

    static func code(_ bytes: [UInt8], as format: CodeFormat) throws -> Response {
        switch format {
        case .bytes: .octets(bytes)
        case .png(let pixels): .picture(try QRSymbol(bytes: bytes).png(pixels: pixels), "image/png")
        }
    }

    /// The visual hash at most `pixels` wide: a whole number of pixels a tile, so that all edges are sharp.
    static func visualHash(_ hash: VisualHash, pixels: Int) throws -> Response {
        let picture = hash.picture
        let scale = max(1, pixels / VisualPicture.width)
        let (width, height) = (VisualPicture.width * scale, VisualPicture.height * scale)
        var rgb: [UInt8] = []
        rgb.reserveCapacity(width * height * 3)
        for row in 0..<height {
            for column in 0..<width {
                let colour = picture.colour(column: column / scale, row: row / scale)
                rgb += [colour.red, colour.green, colour.blue]
            }
        }
        return .picture(try PNGImage.encode(width: width, height: height, rgb: rgb), "image/png")
    }
}
