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
        let (wide, high) = (width * factor + 2 * margin, height * factor + 2 * margin)
        var large = [UInt8](repeating: 255, count: wide * high)
        // Through pointers and without iterators: a debug build looks at a million pixels as well, and each call costs it as much as ten.
        large.withUnsafeMutableBufferPointer { large in
            pixels.withUnsafeBufferPointer { pixels in
                var pixel = 0
                for row in 0..<height {
                    let line = (margin + row * factor) * wide + margin
                    var place = line
                    while place < line + width * factor {
                        let end = place + factor
                        while place < end {
                            large[place] = pixels[pixel]
                            place += 1
                        }
                        pixel += 1
                    }
                    for copy in 1..<max(1, factor) {
                        let (from, to) = (line..<place, line + copy * wide)
                        _ = UnsafeMutableBufferPointer(rebasing: large[to..<(to + from.count)]).update(fromContentsOf: large[from])
                    }
                }
            }
        }
        return GreyImage(width: wide, height: high, pixels: large)
    }
}
