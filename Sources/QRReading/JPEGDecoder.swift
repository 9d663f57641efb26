import CJPEG

/// JPEG to grey through the TurboJPEG interface, which reports errors by its return value; plain libjpeg would end the process.
enum JPEGDecoder {
    static let magic: [UInt8] = [0xFF, 0xD8, 0xFF]

    /// A decoded picture, and whether the decoder had to guess parts of it.
    struct Result {
        let image: GreyImage
        /// The file is cut short or has junk in it. Photographs often do and still show a readable code, so it's the reader who decides.
        let isDoubtful: Bool
    }

    static func decode(_ bytes: [UInt8], limits: ImageLimits) throws(QRReaderError) -> Result {
        guard let decoder = tjInitDecompress() else { throw .outOfMemory }
        defer { tjDestroy(decoder) }

        let length = UInt(bytes.count)
        var (width, height, subsampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        guard tjDecompressHeader3(decoder, bytes, length, &width, &height, &subsampling, &colours) == 0 else { throw .damaged }
        try limits.check(width: Int(width), height: Int(height))

        var pixels = [UInt8](repeating: 255, count: Int(width) * Int(height))
        // A progressive file may ask for any number of passes over the whole picture: the flag caps them at 500.
        let flags = TJFLAG_LIMITSCANS
        let failed = tjDecompress2(decoder, bytes, length, &pixels, width, 0, height, Int32(TJPF_GRAY.rawValue), flags) != 0
        if failed, tjGetErrorCode(decoder) == Int32(TJERR_FATAL.rawValue) { throw .damaged }
        return Result(image: GreyImage(width: Int(width), height: Int(height), pixels: pixels), isDoubtful: failed)
    }
}
