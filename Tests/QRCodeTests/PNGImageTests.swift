import OstiaryTesting
import QRCode
import Testing

@Suite("PNG encoding")
struct PNGImageTests {
    @Test("Colours are stored as three bytes a pixel, without transparency")
    func header() throws {
        let file = try PNGImage.encode(width: 2, height: 1, rgb: [255, 0, 0, 0, 0, 255])
        #expect(Array(file.prefix(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // IHDR: width, height, depth 8, colour type 2 (PNG §11.2.2).
        #expect(Array(file[16..<26]) == [0, 0, 0, 2, 0, 0, 0, 1, 8, 2])
    }

    @Test("Noise, which can't be compressed, is encoded too", arguments: [(1, 1), (1, 4096), (4096, 1), (700, 500)])
    func incompressible(width: Int, height: Int) throws {
        var random = SplitMix(seed: 3)
        let file = try PNGImage.encode(width: width, height: height, rgb: random.bytes(width * height * 3))
        #expect(Array(file.suffix(8).prefix(4)) == Array("IEND".utf8))
    }

    @Test("The number of bytes must match the size", arguments: [0, 11, 13])
    func mismatch(count: Int) {
        #expect(throws: PNGImageError.pixelCountMismatch) { try PNGImage.encode(width: 2, height: 2, rgb: [UInt8](repeating: 0, count: count)) }
    }

    @Test("An edge of none or too many pixels is refused", arguments: [(0, 1), (1, 0), (-1, 1), (4097, 1), (1, Int.max)])
    func sizeOutOfRange(width: Int, height: Int) {
        #expect(throws: PNGImageError.sizeOutOfRange) { try PNGImage.encode(width: width, height: height, rgb: []) }
    }
}
