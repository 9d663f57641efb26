import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
import OstiaryProtocol
import QRCode

/// Answers with pictures and bytes.
enum AdminImage {
    /// The code as the query asks for it: `img=png` for a picture of `s` pixels, otherwise the bytes.
    static func code(_ bytes: [UInt8], _ request: AdminRequest) throws -> Response {
        let size = try request.number("s", in: QRSymbol.pixelRange, otherwise: 500)
        switch try request.query("img") {
        case nil: return answer(bytes, "application/octet-stream")
        case "png":
            let symbol = try QRSymbol(bytes: bytes)
            guard size >= symbol.side + 2 * QRSymbol.quietZone else { throw AdminRefusal.badField("s", "is too small for this code") }
            return answer(try symbol.png(pixels: size), "image/png")
        case .some: throw AdminRefusal.badField("img", "is png or left out")
        }
    }

    /// The visual hash about `pixels` wide: a whole number of pixels a tile, so that all edges are sharp.
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
        return answer(try PNGImage.encode(width: width, height: height, rgb: rgb), "image/png")
    }

    private static func answer(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Response {
    /// An answer in JSON.
    static func json(_ write: (inout AdminJSONWriter) -> Void) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: AdminJSONWriter.text(write))))
    }

    /// A link as plain text.
    static func link(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The answer of a call that only does something.
    static var done: Response { .json { writer in writer.object { _ in } } }
}
