import CZBar

/// Finds the QR symbols in a picture of a screen: a screenshot or a photograph, PNG or JPEG, or a frame of a video.
package enum QRReader {
    /// The content of every symbol found, byte for byte, each content once.
    ///
    /// The file is hostile until proven otherwise: its size and the size it claims are checked before anything is decoded.
    package static func read(_ file: [UInt8], limits: ImageLimits = .standard) throws(QRReaderError) -> [[UInt8]] {
        guard file.count <= limits.bytes else { throw .tooLarge }
        let (image, isDoubtful) = try decode(file, limits: limits)
        let found = try search(image)
        guard found.isEmpty else { return found }
        throw isDoubtful ? .damaged : .noCode
    }

    /// The same for a frame that is decoded already, as of a camera or a screen: one byte a pixel, 0 black to 255 white, row by row from the top left.
    /// - Throws: `damaged` when there are not as many bytes as the size says.
    package static func read(
        luminance pixels: [UInt8], width: Int, height: Int, limits: ImageLimits = .standard
    ) throws(QRReaderError) -> [[UInt8]] {
        try limits.check(width: width, height: height)
        guard pixels.count == width * height else { throw .damaged }
        let found = try search(GreyImage(width: width, height: height, pixels: pixels))
        guard !found.isEmpty else { throw .noCode }
        return found
    }

    /// Nothing when no form of the picture shows a code.
    private static func search(_ image: GreyImage) throws(QRReaderError) -> [[UInt8]] {
        var candidates = Candidates(image: image)
        while let candidate = candidates.next() {
            let found = try scan(candidate)
            if !found.isEmpty { return found }
        }
        return []
    }

    private static func decode(_ file: [UInt8], limits: ImageLimits) throws(QRReaderError) -> (image: GreyImage, isDoubtful: Bool) {
        if file.starts(with: PNGDecoder.magic) { return (try PNGDecoder.decode(file, limits: limits), false) }
        if file.starts(with: JPEGDecoder.magic) {
            let result = try JPEGDecoder.decode(file, limits: limits)
            return (result.image, result.isDoubtful)
        }
        throw .notAnImage
    }

    private static func scan(_ image: GreyImage) throws(QRReaderError) -> [[UInt8]] {
        guard let scanner = zbar_image_scanner_create() else { throw .outOfMemory }
        defer { zbar_image_scanner_destroy(scanner) }
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        // Without this zbar guesses a character set and rewrites the bytes.
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
        // Light modules on a dark ground: a page in dark mode.
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)

        guard let picture = zbar_image_create() else { throw .outOfMemory }
        defer { zbar_image_destroy(picture) }
        zbar_image_set_format(picture, eightBitGrey)
        zbar_image_set_size(picture, UInt32(image.width), UInt32(image.height))
        return image.pixels.withUnsafeBytes { pixels in
            // No clean-up handler: the pixels are ours and outlive the scan.
            zbar_image_set_data(picture, pixels.baseAddress, UInt(pixels.count), nil)
            guard zbar_scan_image(scanner, picture) > 0 else { return [] }
            return contents(of: picture)
        }
    }

    /// The four letters "Y800", as zbar's image formats are written.
    private static let eightBitGrey: UInt = 0x3030_3859

    private static func contents(of picture: OpaquePointer) -> [[UInt8]] {
        var contents: [[UInt8]] = []
        var next = zbar_image_first_symbol(picture)
        while let symbol = next {
            let length = Int(zbar_symbol_get_data_length(symbol))
            if zbar_symbol_get_type(symbol) == ZBAR_QRCODE, length > 0, let data = zbar_symbol_get_data(symbol) {
                let bytes = UnsafeRawBufferPointer(start: data, count: length).map { $0 }
                if !contents.contains(bytes) { contents.append(bytes) }
            }
            next = zbar_symbol_next(symbol)
        }
        return contents
    }
}

/// The forms of one picture in which the reader looks for a code, made only when the one before showed nothing.
private struct Candidates: IteratorProtocol {
    let image: GreyImage
    private var step = 0

    init(image: GreyImage) { self.image = image }

    mutating func next() -> GreyImage? {
        defer { step += 1 }
        let (shorter, longer) = (min(image.width, image.height), max(image.width, image.height))
        switch step {
        case 0: return image
        // A cropped or small screenshot.
        case 1 where longer <= 1200: return image.enlarged(by: 3, margin: 24)
        // A large photograph of a screen.
        case 1 where shorter >= 1000: return image.halved()
        case 2 where shorter >= 1000: return image.halved().halved()
        default: return nil
        }
    }
}
