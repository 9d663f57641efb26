import CPNG

/// Encoding of small pictures as PNG.
package enum PNGImage {
    /// The longest edge we encode, in pixels: far above any picture of ours, far below what would hurt.
    package static let longestEdge = 4096

    /// A picture of `width` × `height` pixels, three bytes (red, green, blue; sRGB) each, row by row from the top left.
    package static func encode(width: Int, height: Int, rgb: [UInt8]) throws(PNGImageError) -> [UInt8] {
        try encode(width: width, height: height, bytesPerPixel: 3, format: rgbFormat, pixels: rgb)
    }

    /// The same with one byte a pixel, 0 black to 255 white.
    package static func encode(width: Int, height: Int, grey: [UInt8]) throws(PNGImageError) -> [UInt8] {
        try encode(width: width, height: height, bytesPerPixel: 1, format: greyFormat, pixels: grey)
    }

    // The header's macros are arithmetic over other macros, which Swift does not import.
    private static let rgbFormat = png_uint_32(PNG_FORMAT_FLAG_COLOR)
    package static let greyFormat: png_uint_32 = 0

    private static func encode(
        width: Int, height: Int, bytesPerPixel: Int, format: png_uint_32, pixels: [UInt8]
    ) throws(PNGImageError) -> [UInt8] {
        guard (1...longestEdge).contains(width), (1...longestEdge).contains(height) else { throw .sizeOutOfRange }
        guard pixels.count == width * height * bytesPerPixel else { throw .pixelCountMismatch }

        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        image.width = png_uint_32(width)
        image.height = png_uint_32(height)
        image.format = format
        defer { png_image_free(&image) }

        // Room for the worst case: incompressible rows with their filter bytes, deflate and chunk framing, headers.
        let raw = pixels.count + height
        var length = raw + raw / 256 + 4096
        var encoded = [UInt8](repeating: 0, count: length)
        guard png_image_write_to_memory(&image, &encoded, &length, 0, pixels, 0, nil) != 0 else { throw .notEncodable }
        encoded.removeLast(encoded.count - length)
        return encoded
    }
}

/// Why a picture could not be encoded.
package enum PNGImageError: Error, Equatable {
    /// An edge is shorter than one pixel or longer than `PNGImage.longestEdge`.
    case sizeOutOfRange
    /// The number of bytes is not width × height × bytes a pixel.
    case pixelCountMismatch
    /// The encoder refused, which means that it ran out of memory.
    case notEncodable
}
