extension QRSymbol {
    /// The edge lengths that a caller may ask for, in pixels.
    package static let pixelRange = 100...2000

    /// The symbol as a square greyscale PNG, `pixels` along each edge whatever the content.
    ///
    /// A module is a whole number of pixels, because a blurred edge costs the reader more than a smaller symbol does; what is left
    /// over widens the quiet zone.
    package func png(pixels: Int = 500) throws -> [UInt8] {
        guard Self.pixelRange.contains(pixels) else { throw QRSymbolError.sizeOutOfRange(pixels: pixels) }
        let edge = side + 2 * Self.quietZone
        let scale = pixels / edge
        guard scale >= 1 else { throw QRSymbolError.tooDense(minimumPixels: edge) }

        let margin = (pixels - side * scale) / 2
        var grey = [UInt8](repeating: 255, count: pixels * pixels)
        for row in 0..<side {
            for column in 0..<side where isDark(column: column, row: row) {
                let left = margin + column * scale
                for y in (margin + row * scale)..<(margin + (row + 1) * scale) {
                    for x in left..<(left + scale) { grey[y * pixels + x] = 0 }
                }
            }
        }
        return try PNGImage.encode(width: pixels, height: pixels, grey: grey)
    }
}
