import OstiaryProtocol

/// What a person compares to know a server: five words and a picture, the same as the server shows.
public struct VisualHash: Sendable, Hashable {
    /// A colour of the picture, eight bits per part.
    public struct Colour: Sendable, Hashable {
        public let red: UInt8
        public let green: UInt8
        public let blue: UInt8

        init(_ colour: PaletteColour) {
            red = colour.red
            green = colour.green
            blue = colour.blue
        }
    }

    /// The five bytes that words and picture are made from.
    public let bytes: [UInt8]
    /// Five words, also for whoever cannot see the picture.
    public let words: [String]
    /// The picture as a scalable image whose text alternative is the words.
    public let svg: String
    /// The picture's tiles, row by row from the top left.
    public let tiles: [[Colour]]

    init(_ hash: OstiaryProtocol.VisualHash) {
        bytes = hash.bytes
        words = hash.words
        svg = hash.svg
        let picture = hash.picture
        tiles = (0..<VisualPicture.height).map { row in
            (0..<VisualPicture.width).map { column in Colour(picture.colour(column: column, row: row)) }
        }
    }
}
