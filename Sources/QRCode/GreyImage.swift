/// A picture reduced to what a QR reader looks at: one byte a pixel, 0 black to 255 white, row by row from the top left.
struct GreyImage: Sendable, Equatable {
    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Half the size, four pixels averaged to one: takes the raster of a photographed screen away.
    func halved() -> GreyImage {
        let (narrow, low) = (width / 2, height / 2)
        var small = [UInt8](repeating: 255, count: narrow * low)
        for y in 0..<low {
            for x in 0..<narrow {
                let corner = 2 * y * width + 2 * x
                let sum = UInt16(pixels[corner]) + UInt16(pixels[corner + 1]) + UInt16(pixels[corner + width]) + UInt16(pixels[corner + width + 1])
                small[y * narrow + x] = UInt8(sum / 4)
            }
        }
        return GreyImage(width: narrow, height: low, pixels: small)
    }

    /// Enlarged by whole pixels and framed in white: a reader wants two pixels or more a module and a quiet zone, and a cropped
    /// screenshot may have neither.
    func enlarged(by factor: Int, margin: Int) -> GreyImage {
        let wide = width * factor + 2 * margin
        let side = [UInt8](repeating: 255, count: margin)
        var large = [UInt8](repeating: 255, count: wide * margin)
        large.reserveCapacity(wide * (height * factor + 2 * margin))
        for row in 0..<height {
            let line = side + pixels[(row * width)..<((row + 1) * width)].flatMap { repeatElement($0, count: factor) } + side
            for _ in 0..<factor { large += line }
        }
        large += repeatElement(255, count: wide * margin)
        return GreyImage(width: wide, height: height * factor + 2 * margin, pixels: large)
    }
}
