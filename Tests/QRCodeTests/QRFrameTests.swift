import OstiaryTesting
import QRCode
import QRReading
import Testing

@Suite("QR reader: frames of a screen")
struct QRFrameTests {
    private let content: [UInt8] = Array(30..<110)

    /// A symbol on a grey ground, as luminance.
    private func frame(width: Int = 640, height: Int = 480) throws -> [UInt8] {
        let symbol = try QRSymbol(bytes: content)
        let scale = 4
        var pixels = [UInt8](repeating: 235, count: width * height)
        for y in 0..<symbol.side * scale {
            for x in 0..<symbol.side * scale where symbol.isDark(column: x / scale, row: y / scale) {
                pixels[(60 + y) * width + 200 + x] = 25
            }
        }
        return pixels
    }

    @Test("A symbol in a frame is read as it would be from a file")
    func found() throws {
        #expect(try QRReader.read(luminance: frame(), width: 640, height: 480) == [content])
    }

    @Test("A frame without a symbol says so")
    func nothing() {
        #expect(throws: QRReaderError.noCode) { try QRReader.read(luminance: [UInt8](repeating: 128, count: 64 * 48), width: 64, height: 48) }
    }

    @Test("A frame with fewer or more bytes than its size says is refused, and so is a size that is none or too large")
    func sizes() throws {
        let pixels = try frame()
        for wrong in [Array(pixels.dropLast()), pixels + [0], []] {
            #expect(throws: QRReaderError.damaged) { try QRReader.read(luminance: wrong, width: 640, height: 480) }
        }
        for (width, height) in [(0, 480), (640, 0), (-640, -480)] {
            #expect(throws: QRReaderError.damaged) { try QRReader.read(luminance: pixels, width: width, height: height) }
        }
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(luminance: pixels, width: .max, height: 2) }
        let limits = ImageLimits(bytes: 1 << 20, pixels: 640 * 480 - 1)
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(luminance: pixels, width: 640, height: 480, limits: limits) }
    }
}
