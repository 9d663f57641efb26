import OstiaryTesting
import QRCode
import QRReading
import Testing

@Suite("QR reader")
struct QRReaderTests {
    @Test("Random bytes survive the way over a PNG", arguments: [37, 64, 99, 150, 213, 300], QRSymbol.Correction.allCases)
    func overPNG(length: Int, correction: QRSymbol.Correction) throws {
        var random = SplitMix(seed: UInt64(length))
        for _ in 0..<4 {
            let bytes = random.bytes(length)
            #expect(try QRReader.read(QRSymbol(bytes: bytes, correction: correction).png()) == [bytes])
        }
    }

    @Test("Every byte value survives, also where a text would be guessed")
    func everyByteValue() throws {
        let contents: [[UInt8]] = [
            Array(0...255), Array((0...255).reversed()), [UInt8](repeating: 0, count: 40), [UInt8](repeating: 0xFF, count: 40),
            [0xEF, 0xBB, 0xBF] + Array("text".utf8), [0xC3, 0x28, 0xA0, 0xA1], [0x83, 0x8A, 0x83, 0x5A], [0x41, 0x00, 0x42], [0x00], [0x0A],
        ]
        for bytes in contents {
            #expect(try QRReader.read(QRSymbol(bytes: bytes).png()) == [bytes])
        }
    }

    @Test("Small and large pictures are read", arguments: [110, 250, 1000, 2000])
    func sizes(pixels: Int) throws {
        var random = SplitMix(seed: 5)
        let bytes = random.bytes(60)
        #expect(try QRReader.read(QRSymbol(bytes: bytes).png(pixels: pixels)) == [bytes])
    }

    @Test("Random bytes survive the way over a JPEG", arguments: [37, 120, 300], [40, 90])
    func overJPEG(length: Int, quality: Int) throws {
        var random = SplitMix(seed: UInt64(length))
        let bytes = random.bytes(length)
        #expect(try QRReader.read(picture(of: bytes).jpeg(quality: quality)) == [bytes])
        #expect(try QRReader.read(picture(of: bytes).jpeg(quality: quality, progressive: true)) == [bytes])
    }

    @Test("A symbol that stands askew is read", arguments: [(0.9962, 0.0872), (0.9659, 0.2588), (0.0, 1.0), (-1.0, 0.0)])
    func turned(cosine: Double, sine: Double) throws {
        var random = SplitMix(seed: 6)
        let bytes = random.bytes(80)
        #expect(try QRReader.read(picture(of: bytes).turned(cosine: cosine, sine: sine).png()) == [bytes])
    }

    @Test("Noise as of a dark room doesn't hide the symbol")
    func noisy() throws {
        var random = SplitMix(seed: 7)
        let bytes = random.bytes(80)
        var canvas = try picture(of: bytes)
        for index in canvas.rgb.indices {
            let shifted = Int(canvas.rgb[index]) / 2 + 40 + Int.random(in: -35...35, using: &random)
            canvas.rgb[index] = UInt8(min(max(shifted, 0), 255))
        }
        #expect(try QRReader.read(canvas.jpeg(quality: 75)) == [bytes])
    }

    @Test("A symbol in a page's colours and one on a dark page are read")
    func colours() throws {
        let bytes: [UInt8] = Array(0..<90)
        var page = Canvas(width: 800, height: 500, ground: (240, 240, 200))
        page.paint(try QRSymbol(bytes: bytes), left: 300, top: 60, scale: 6, dark: (40, 20, 110))
        #expect(try QRReader.read(page.png()) == [bytes])

        var dark = Canvas(width: 800, height: 500, ground: (16, 16, 24))
        dark.paint(try QRSymbol(bytes: bytes), left: 300, top: 60, scale: 6, dark: (230, 230, 230))
        #expect(try QRReader.read(dark.png()) == [bytes])
    }

    @Test("A screenshot cropped to the symbol itself is read, down to one pixel a module", arguments: [1, 2, 3])
    func cropped(scale: Int) throws {
        let bytes: [UInt8] = Array(100..<180)
        let symbol = try QRSymbol(bytes: bytes)
        var tight = Canvas(width: symbol.side * scale, height: symbol.side * scale)
        tight.paint(symbol, left: 0, top: 0, scale: scale)
        #expect(try QRReader.read(tight.png()) == [bytes])
    }

    @Test("Dark modules on a transparent ground are read as on white")
    func transparent() throws {
        let bytes: [UInt8] = Array(10..<90)
        #expect(try QRReader.read(transparentPNG(of: QRSymbol(bytes: bytes), scale: 5)) == [bytes])
    }

    @Test("The raster of a photographed screen doesn't hide the symbol")
    func raster() async throws {
        let bytes: [UInt8] = Array(20..<100)
        let found = try await onOwnThread {
            var photograph = Canvas(width: 1200, height: 1200)
            photograph.paint(try QRSymbol(bytes: bytes), left: 150, top: 150, scale: 20)
            for y in 0..<1200 {
                for x in 0..<1200 where x % 2 == 0 || y % 2 == 0 { photograph[x, y] = (0, 0, 0) }
            }
            return try QRReader.read(photograph.png())
        }
        #expect(found == [bytes])
    }

    @Test("Two symbols on one screen are both found, the same one twice is found once")
    func several() throws {
        let (first, second): ([UInt8], [UInt8]) = (Array(0..<50), Array(200..<250))
        var two = Canvas(width: 700, height: 320)
        two.paint(try QRSymbol(bytes: first), left: 40, top: 40, scale: 5)
        two.paint(try QRSymbol(bytes: second), left: 400, top: 40, scale: 5)
        #expect(Set(try QRReader.read(two.png())) == [first, second])

        var twins = Canvas(width: 700, height: 320)
        twins.paint(try QRSymbol(bytes: first), left: 40, top: 40, scale: 5)
        twins.paint(try QRSymbol(bytes: first), left: 400, top: 40, scale: 5)
        #expect(try QRReader.read(twins.png()) == [first])
    }

    private func picture(of bytes: [UInt8]) throws -> Canvas {
        let symbol = try QRSymbol(bytes: bytes)
        let scale = 6
        var canvas = Canvas(width: symbol.side * scale + 200, height: symbol.side * scale + 200)
        canvas.paint(symbol, left: 100, top: 100, scale: scale)
        return canvas
    }
}
