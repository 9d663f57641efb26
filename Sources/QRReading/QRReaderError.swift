/// Why no code was read. The first four are the file's fault.
package enum QRReaderError: Error, Equatable {
    /// Neither a PNG nor a JPEG, judged by its first bytes.
    case notAnImage
    /// The file, or the picture it claims to hold, is larger than `ImageLimits` allow.
    case tooLarge
    /// Begins as a picture but can't be decoded, or is cut short and shows no code.
    case damaged
    /// A sound picture without a readable QR code.
    case noCode
    /// The machine had no memory for the work.
    case outOfMemory
}

/// How large a file and a picture may be before decoding is refused.
package struct ImageLimits: Sendable {
    /// Bytes of the file.
    package let bytes: Int
    /// Width × height.
    package let pixels: Int

    package init(bytes: Int, pixels: Int) {
        self.bytes = bytes
        self.pixels = pixels
    }

    /// 32 MiB and 64 megapixels: every phone's camera passes, a decompression bomb doesn't.
    package static let standard = ImageLimits(bytes: 32 << 20, pixels: 64_000_000)

    func check(width: Int, height: Int) throws(QRReaderError) {
        guard width > 0, height > 0 else { throw .damaged }
        // Each edge first, so that the product can't overflow.
        guard width <= pixels, height <= pixels, width * height <= pixels else { throw .tooLarge }
    }
}
