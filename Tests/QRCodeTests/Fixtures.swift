import CJPEG
import CPNG
import QRCode

/// A colour picture that tests paint on: three bytes a pixel.
struct Canvas {
    let width: Int
    let height: Int
    var rgb: [UInt8]

    init(width: Int, height: Int, ground: (UInt8, UInt8, UInt8) = (255, 255, 255)) {
        self.width = width
        self.height = height
        rgb = (0..<(width * height)).flatMap { _ in [ground.0, ground.1, ground.2] }
    }

    subscript(x: Int, y: Int) -> (UInt8, UInt8, UInt8) {
        get { (rgb[3 * (y * width + x)], rgb[3 * (y * width + x) + 1], rgb[3 * (y * width + x) + 2]) }
        set {
            let at = 3 * (y * width + x)
            (rgb[at], rgb[at + 1], rgb[at + 2]) = newValue
        }
    }

    /// Paints a symbol in two colours; the quiet zone is whatever lies around it.
    mutating func paint(_ symbol: QRSymbol, left: Int, top: Int, scale: Int, dark: (UInt8, UInt8, UInt8) = (0, 0, 0)) {
        for y in 0..<(symbol.side * scale) {
            for x in 0..<(symbol.side * scale) where symbol.isDark(column: x / scale, row: y / scale) {
                self[left + x, top + y] = dark
            }
        }
    }

    /// Turned about the centre by an angle given as its cosine and sine; what comes from outside is white.
    func turned(cosine: Double, sine: Double) -> Canvas {
        var turned = Canvas(width: width, height: height)
        let (middleX, middleY) = (Double(width) / 2, Double(height) / 2)
        for y in 0..<height {
            for x in 0..<width {
                let (dx, dy) = (Double(x) - middleX, Double(y) - middleY)
                let fromX = Int((cosine * dx + sine * dy + middleX).rounded())
                let fromY = Int((cosine * dy - sine * dx + middleY).rounded())
                guard (0..<width).contains(fromX), (0..<height).contains(fromY) else { continue }
                turned[x, y] = self[fromX, fromY]
            }
        }
        return turned
    }

    func png() throws -> [UInt8] { try PNGImage.encode(width: width, height: height, rgb: rgb) }

    /// As a camera or a messenger would store it.
    func jpeg(quality: Int, progressive: Bool = false) throws -> [UInt8] {
        struct NotCompressed: Error {}
        guard let encoder = tjInitCompress() else { throw NotCompressed() }
        defer { tjDestroy(encoder) }
        var file: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        let flags = progressive ? TJFLAG_PROGRESSIVE : 0
        let result = tjCompress2(
            encoder, rgb, Int32(width), 0, Int32(height), Int32(TJPF_RGB.rawValue), &file, &length, Int32(TJSAMP_420.rawValue), Int32(quality), flags)
        defer { tjFree(file) }
        guard result == 0, let file else { throw NotCompressed() }
        return [UInt8](UnsafeBufferPointer(start: file, count: Int(length)))
    }
}

/// A PNG with an alpha channel: black where the symbol is dark, and black but wholly transparent elsewhere.
func transparentPNG(of symbol: QRSymbol, scale: Int) throws -> [UInt8] {
    struct NotEncoded: Error {}
    let edge = (symbol.side + 8) * scale
    var greyAndAlpha: [UInt8] = []
    for y in 0..<edge {
        for x in 0..<edge { greyAndAlpha += [0, symbol.isDark(column: x / scale - 4, row: y / scale - 4) ? 255 : 0] }
    }
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    (image.width, image.height, image.format) = (png_uint_32(edge), png_uint_32(edge), png_uint_32(PNG_FORMAT_FLAG_ALPHA))
    var file = [UInt8](repeating: 0, count: greyAndAlpha.count + 4096)
    var length = file.count
    guard png_image_write_to_memory(&image, &file, &length, 0, greyAndAlpha, 0, nil) != 0 else { throw NotEncoded() }
    return Array(file.prefix(length))
}
