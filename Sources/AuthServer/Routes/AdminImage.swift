import HTTPService
import HTTPTypes
import Hummingbird
import NIOCore
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
        case .bytes: answer(bytes, "application/octet-stream")
        case .png(let pixels): answer(try QRSymbol(bytes: bytes).png(pixels: pixels), "image/png")
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
