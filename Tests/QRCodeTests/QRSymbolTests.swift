import QRCode
import Testing

@Suite("QR symbol")
struct QRSymbolTests {
    @Test("A symbol is square and carries the three finder patterns")
    func finders() throws {
        let symbol = try QRSymbol(bytes: [1, 2, 3])
        #expect(symbol.side == 21)
        #expect(symbol.modules.count == 21 * 21)
        let finder = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"]
        for (left, top) in [(0, 0), (14, 0), (0, 14)] {
            for (row, line) in finder.enumerated() {
                for (column, mark) in line.enumerated() {
                    #expect(symbol.isDark(column: left + column, row: top + row) == (mark == "#"))
                }
            }
        }
    }

    @Test("Around the symbol everything is light")
    func outsideIsLight() throws {
        let symbol = try QRSymbol(bytes: [1])
        for (column, row) in [(-1, 0), (0, -1), (symbol.side, 0), (0, symbol.side), (-4, -4)] {
            #expect(!symbol.isDark(column: column, row: row))
        }
    }

    @Test("More correction never makes the symbol smaller")
    func correctionCosts() throws {
        let bytes = [UInt8](repeating: 7, count: 200)
        #expect(try QRSymbol(bytes: bytes, correction: .medium).side > QRSymbol(bytes: bytes, correction: .low).side)
    }

    @Test("Nothing can't be encoded")
    func empty() {
        #expect(throws: QRSymbolError.empty) { try QRSymbol(bytes: []) }
    }

    @Test("The largest symbol is full exactly at the capacity of the standard", arguments: [(QRSymbol.Correction.low, 2953), (.medium, 2331)])
    func capacity(correction: QRSymbol.Correction, most: Int) throws {
        #expect(try QRSymbol(bytes: [UInt8](repeating: 0xA5, count: most), correction: correction).side == 177)
        #expect(throws: QRSymbolError.tooLong(bytes: most + 1)) {
            try QRSymbol(bytes: [UInt8](repeating: 0xA5, count: most + 1), correction: correction)
        }
    }

    @Test("A PNG is as large as asked for, whatever the content", arguments: [100, 101, 499, 500, 2000])
    func pngSize(pixels: Int) throws {
        let file = try QRSymbol(bytes: [UInt8](repeating: 9, count: 60)).png(pixels: pixels)
        // Width and height are the first two numbers of the IHDR chunk (PNG §11.2.2).
        let edge = [UInt8](withUnsafeBytes(of: UInt32(pixels).bigEndian) { Array($0) })
        #expect(Array(file[16..<20]) == edge)
        #expect(Array(file[20..<24]) == edge)
    }

    @Test("A size outside 100 to 2000 pixels is refused", arguments: [Int.min, -1, 0, 99, 2001, Int.max])
    func sizeOutOfRange(pixels: Int) throws {
        let symbol = try QRSymbol(bytes: [1])
        #expect(throws: QRSymbolError.sizeOutOfRange(pixels: pixels)) { try symbol.png(pixels: pixels) }
    }

    @Test("A symbol with more modules than pixels is refused with the size it needs")
    func tooDense() throws {
        let symbol = try QRSymbol(bytes: [UInt8](repeating: 0, count: 2000), correction: .low)
        let needed = symbol.side + 8
        #expect(throws: QRSymbolError.tooDense(minimumPixels: needed)) { try symbol.png(pixels: needed - 1) }
        #expect(throws: Never.self) { try symbol.png(pixels: needed) }
    }
}
