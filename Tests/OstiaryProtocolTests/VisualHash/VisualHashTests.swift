import OstiaryProtocol
import Testing

@Suite("Visual hash")
struct VisualHashTests {
    static let folder = VectorFolder("visual")

    @Test("Every scenario of Vectors/visual comes out as written", arguments: folder.names)
    func scenario(name: String) throws {
        try Self.folder.check(name) { given in
            let hash =
                switch try given.text("operation") {
                case "root": try VisualHash(rootHash: try given.bytes("rootHash"))
                default: try #require(VisualHash(bytes: try given.bytes("bytes")))
                }
            let rows = hash.picture.tiles.map { row in String(row.map { $0 ? "#" : "." }) }
            return (
                .ok,
                [
                    "bytes": .hex(hash.bytes), "words": .list(hash.words), "ink": .text(hash.picture.ink.hex),
                    "paper": .text(hash.picture.paper.hex), "tiles": .list(rows),
                ]
            )
        }
    }

    @Test("No file was lost")
    func complete() { #expect(Self.folder.names.count == 6) }

    @Test("Every one of the forty bits changes the words and what the picture looks like")
    func everyBitShows() throws {
        let base = try #require(VisualHash(bytes: [0x5A, 0x13, 0xC7, 0x88, 0x2F]))
        for bit in 0..<40 {
            var bytes = base.bytes
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            let other = try #require(VisualHash(bytes: bytes))
            #expect(other.words != base.words)
            #expect(Self.colours(other) != Self.colours(base))
        }
    }

    @Test("An empty and a full pattern still show both colours, so neither hides the paper or the ink")
    func bothColours() throws {
        for bytes in [[UInt8](repeating: 0, count: 5), [UInt8](repeating: 255, count: 5)] {
            let picture = try #require(VisualHash(bytes: bytes)).picture
            #expect(Set(picture.tiles.joined()) == [true, false])
        }
    }

    @Test("The picture is its own mirror image")
    func symmetry() throws {
        let picture = try #require(VisualHash(bytes: [0xA3, 0x6B, 0xD1, 0x7E, 0x59])).picture
        for row in picture.tiles { #expect(row == row.reversed()) }
        #expect(picture.tiles.count == VisualPicture.height)
        #expect(picture.tiles.allSatisfy { $0.count == VisualPicture.width })
    }

    @Test("Only five bytes make a visual hash")
    func fiveBytes() {
        #expect(VisualHash(bytes: []) == nil)
        #expect(VisualHash(bytes: [1, 2, 3, 4]) == nil)
        #expect(VisualHash(bytes: [1, 2, 3, 4, 5, 6]) == nil)
    }

    @Test("The image draws exactly the tiles, in the two colours, with the words as its text")
    func svg() throws {
        let hash = try #require(VisualHash(bytes: [0xA3, 0x6B, 0xD1, 0x7E, 0x59]))
        #expect(hash.svg.contains("aria-label=\"\(hash.words.joined(separator: " "))\""))
        #expect(hash.svg.contains("fill=\"\(hash.picture.ink.hex)\" d=\""))
        #expect(Self.drawn(hash.svg) == hash.picture.tiles)
    }

    static func colours(_ hash: VisualHash) -> [[PaletteColour]] {
        (0..<VisualPicture.height).map { row in
            (0..<VisualPicture.width).map { hash.picture.colour(column: $0, row: row) }
        }
    }

    /// The tiles that the path of an image covers.
    static func drawn(_ svg: String) -> [[Bool]] {
        var tiles = [[Bool]](repeating: [Bool](repeating: false, count: VisualPicture.width), count: VisualPicture.height)
        for match in svg.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            guard let column = Int(match.1), let row = Int(match.2), let run = Int(match.3), match.3 == match.4 else { continue }
            for offset in 0..<run { tiles[row][column + offset] = true }
        }
        return tiles
    }
}
