import CPNG
import QRCode

/// PNG to grey through libpng's simplified interface, which reports every error by its return value.
enum PNGDecoder {
    static let magic: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func decode(_ bytes: [UInt8], limits: ImageLimits) throws(QRReaderError) -> GreyImage {
        try bytes.withUnsafeBufferPointer { file throws(QRReaderError) -> GreyImage in
            var image = png_image()
            image.version = png_uint_32(PNG_IMAGE_VERSION)
            defer { png_image_free(&image) }
            guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else { throw .damaged }

            let (width, height) = (Int(image.width), Int(image.height))
            try limits.check(width: width, height: height)
            image.format = PNGImage.greyFormat
            var pixels = [UInt8](repeating: 255, count: width * height)
            // Transparent parts are laid on white, as a page would show them.
            var ground = png_color(red: 255, green: 255, blue: 255)
            guard png_image_finish_read(&image, &ground, &pixels, 0, nil) != 0 else { throw .damaged }
            return GreyImage(width: width, height: height, pixels: pixels)
        }
    }
}
