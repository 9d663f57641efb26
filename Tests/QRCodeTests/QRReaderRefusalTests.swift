import OstiaryTesting
import QRCode
import QRReading
import Testing

@Suite("QR reader: files that are not what they should be")
struct QRReaderRefusalTests {
    let symbol: QRSymbol
    let content: [UInt8]

    init() throws {
        var random = SplitMix(seed: 11)
        content = random.bytes(60)
        symbol = try QRSymbol(bytes: content)
    }

    @Test("Anything that doesn't begin as a PNG or JPEG is not an image")
    func notAnImage() {
        var random = SplitMix(seed: 12)
        for file in [[], [0x89], Array("GIF89a".utf8), Array("<svg/>".utf8), random.bytes(5000)] {
            #expect(throws: QRReaderError.notAnImage) { try QRReader.read(file) }
        }
    }

    @Test("A picture without a code says so")
    func noCode() throws {
        let blank = Canvas(width: 300, height: 200, ground: (90, 120, 30))
        #expect(throws: QRReaderError.noCode) { try QRReader.read(blank.png()) }
        #expect(throws: QRReaderError.noCode) { try QRReader.read(blank.jpeg(quality: 80)) }
        #expect(throws: QRReaderError.noCode) { try QRReader.read(Canvas(width: 1, height: 1).png()) }
    }

    @Test("A file of more bytes than allowed is refused before it is looked at")
    func fileTooLarge() throws {
        let file = try symbol.png()
        #expect(try QRReader.read(file, limits: ImageLimits(bytes: file.count, pixels: 250_000)) == [content])
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(file, limits: ImageLimits(bytes: file.count - 1, pixels: 250_000)) }
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read([UInt8](repeating: 0, count: (32 << 20) + 1)) }
    }

    @Test("More pixels than allowed are refused")
    func pictureTooLarge() throws {
        let png = try symbol.png(pixels: 500)
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(png, limits: ImageLimits(bytes: 1 << 20, pixels: 249_999)) }
        let jpeg = try Canvas(width: 500, height: 500).jpeg(quality: 80)
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(jpeg, limits: ImageLimits(bytes: 1 << 20, pixels: 249_999)) }
    }

    @Test("A few bytes that claim a gigantic picture don't make the reader reserve memory")
    func bomb() throws {
        // The frame header of a JPEG (marker FFC0) holds height and width in two bytes each: 65024 × 65024 is past the limit.
        var jpeg = try Canvas(width: 64, height: 64).jpeg(quality: 80)
        let frame = try #require((0..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange((frame + 5)...(frame + 8), with: [0xFE, 0, 0xFE, 0])
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(jpeg) }

        // Sixteen million white pixels are a file of some kilobytes.
        let white = try PNGImage.encode(width: 4096, height: 4096, grey: [UInt8](repeating: 255, count: 4096 * 4096))
        #expect(white.count < 100_000)
        #expect(throws: QRReaderError.tooLarge) { try QRReader.read(white, limits: ImageLimits(bytes: 1 << 20, pixels: 4096 * 4096 - 1)) }
    }

    @Test("A PNG cut short anywhere is damaged or not an image, never a trap")
    func truncatedPNG() throws {
        let file = try symbol.png(pixels: 200)
        // The last chunk, IEND, is 12 bytes without content; a decoder may have all it needs before it.
        for length in 0..<(file.count - 12) {
            let error = #expect(throws: QRReaderError.self) { try QRReader.read(Array(file.prefix(length))) }
            #expect(error == (length < 8 ? .notAnImage : .damaged))
        }
    }

    @Test("A JPEG cut short is damaged, or still shows the code that is wholly in it")
    func truncatedJPEG() async throws {
        try await onOwnThread {
            let file = try photograph().jpeg(quality: 60)
            for length in stride(from: 0, to: file.count, by: 97) {
                do throws(QRReaderError) {
                    #expect(try QRReader.read(Array(file.prefix(length))) == [content])
                } catch {
                    #expect(error == (length < 3 ? .notAnImage : .damaged))
                }
            }
        }
    }

    @Test("Flipped bits never trap and never change the content unseen", arguments: [1, 2, 8])
    func flippedBits(flips: Int) async throws {
        try await onOwnThread {
            var random = SplitMix(seed: UInt64(flips))
            for file in [try symbol.png(pixels: 200), try photograph().jpeg(quality: 60), try photograph().jpeg(quality: 60, progressive: true)] {
                for _ in 0..<50 {
                    var hurt = file
                    for _ in 0..<flips {
                        let at = Int.random(in: 0..<hurt.count, using: &random)
                        hurt[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                    }
                    expectContentOrRefusal(of: hurt)
                }
            }
        }
    }

    @Test("Random bytes behind the right beginning never trap")
    func randomBodies() async throws {
        try await onOwnThread {
            var random = SplitMix(seed: 13)
            let png = try symbol.png(pixels: 200)
            let jpeg = try photograph().jpeg(quality: 60)
            for _ in 0..<25 {
                let length = Int.random(in: 0..<4000, using: &random)
                for start in [png.prefix(8), png.prefix(33), jpeg.prefix(3), jpeg.prefix(jpeg.count / 4)] {
                    expectContentOrRefusal(of: start + random.bytes(length))
                }
            }
        }
    }

    /// Either the code is read as it was or the reader refuses; the code's own correction makes a third outcome as good as impossible.
    private func expectContentOrRefusal(of file: [UInt8]) {
        if let found = try? QRReader.read(file, limits: ImageLimits(bytes: 1 << 20, pixels: 1_000_000)) {
            #expect(found == [content])
        }
    }

    private func photograph() -> Canvas {
        var canvas = Canvas(width: 240, height: 240)
        canvas.paint(symbol, left: 20, top: 20, scale: 4)
        return canvas
    }
}
