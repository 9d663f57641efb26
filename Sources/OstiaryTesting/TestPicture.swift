/// The heads of pictures, which is all that is looked at of them.
package enum TestPicture {
    /// A PNG that says that it is so large, with nothing behind its header chunk.
    package static func png(width: Int = 8, height: Int = 8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + number(width, 4) + number(height, 4)
            + [1, 0, 0, 0, 0, 0, 0, 0, 0]
    }

    /// A JPEG that says that it is so large, with a segment of an application before.
    /// - Parameter scans: how many begin behind that.
    package static func jpeg(width: Int = 8, height: Int = 8, scans: Int = 1) -> [UInt8] {
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC2, 0, 11, 8] + number(height, 2) + number(width, 2) + [1, 1, 0x11, 0]
            + (0..<scans).flatMap { _ in [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 7] as [UInt8] }
    }

    /// A drawing with this in it.
    package static func svg(_ content: String) -> [UInt8] {
        Array("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">\(content)</svg>".utf8)
    }

    private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
