import OstiaryProtocol
import Testing

@Suite("Text on one line")
struct PlainLineTests {
    @Test(
        "Line ends and marks of direction are refused, and what may not travel",
        arguments: [
            0x00, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A, 0x202E, 0x2066, 0x2069,
        ])
    func refuses(code: UInt32) throws {
        let mark = String(try #require(Unicode.Scalar(code)))
        for text in [mark, "a" + mark, mark + "a", "a" + mark + "b"] { #expect(!PlainLine.allows(text, cap: 255)) }
    }

    @Test("Names of all languages are taken, and what joins their letters", arguments: ["Zoë", "علي", "דוד", "李", "👩‍👩‍👧", "می\u{200C}خواهم", ""])
    func takes(text: String) { #expect(PlainLine.allows(text, cap: 255)) }

    @Test("A text becomes one line: its line ends are spaces, its marks of direction are gone, and its letters stay")
    func made() {
        #expect(PlainLine.made(of: "Ada's\nphone\u{2028}\u{2029}\u{200E}\u{200F}\u{061C}Zoë می\u{200C}خواهم") == "Ada's phone  Zoë می\u{200C}خواهم")
        #expect(PlainLine.made(of: "").isEmpty)
    }

    @Test(
        "A name has something to see: blanks, marks without a shape and nothing at all are none",
        arguments: ["", " ", "\u{A0}\u{2003}", "\u{200B}", "\u{3164}", "\u{2800}", "\u{FFF9}", "\u{00AD}\u{FEFF}"])
    func namesNobody(text: String) {
        #expect(!PlainLine.allowsName(text, cap: 255) && PlainLine.allows(text, cap: 255))
        #expect(PlainLine.allowsName(text + "a", cap: 255))
    }

    /// Sixty of them were a name.
    @Test(
        "Marks without the letter that they would stand on are no name; on a letter of any language they are part of one",
        arguments: [String(repeating: "\u{301}", count: 60), " \u{301}", "\u{20DD}\u{FE0F}", "\u{93F}\u{93E}", "\u{64B}\u{651}"])
    func marks(text: String) {
        #expect(!PlainLine.allowsName(text, cap: 255) && PlainLine.allows(text, cap: 255))
        #expect(PlainLine.allowsName("e" + text, cap: 255))
        for name in ["Zoe\u{308}", "हिन्दी", "مُحَمَّد", "1\u{FE0F}\u{20E3}"] { #expect(PlainLine.allowsName(name, cap: 255)) }
    }

    @Test("So many bytes and no more")
    func bytes() {
        #expect(PlainLine.allows("ää", cap: 4) && !PlainLine.allows("ää", cap: 3))
        #expect(PlainLine.allowsName("ää", cap: 4) && !PlainLine.allowsName("ää", cap: 3) && !PlainLine.allowsName("a\nb", cap: 255))
    }
}
