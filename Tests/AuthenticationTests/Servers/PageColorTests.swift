import Authentication
import Testing

@Suite("Colours of pages")
struct PageColorTests {
    private func color(_ text: String) throws -> PageColor { try #require(PageColor(text)) }

    @Test("A colour is # and six hexadecimal digits, and is told with small letters")
    func reads() throws {
        #expect(try color("#1F5f66").text == "#1f5f66")
        #expect(try color("#000102").text == "#000102")
        for text in ["", "#", "1f5f66", "#1f5f6", "#1f5f666", "#1f5f6g", "#+f5f66", "# f5f66", "#１f5f6", "red", "##f5f66", "#1f5f66 "] {
            #expect(PageColor(text) == nil, "\(text)")
        }
    }

    @Test(
        "Contrasts are those of WCAG 2.2",
        arguments: [
            ("#ffffff", "#000000", 21.0), ("#ffffff", "#ffffff", 1.0), ("#777777", "#ffffff", 4.478), ("#767676", "#ffffff", 4.542),
            ("#ff0000", "#ffffff", 3.998), ("#00ff00", "#000000", 15.304), ("#0000ff", "#ffffff", 8.592), ("#0a0a0a", "#000000", 1.061),
        ])
    func contrast(one: String, other: String, expected: Double) throws {
        let (one, other) = (try color(one), try color(other))
        #expect(abs(one.contrast(with: other) - expected) < 0.001)
        #expect(one.contrast(with: other) == other.contrast(with: one))
    }

    @Test("A colour that cannot carry its text is refused, and told by how much; the next darker or lighter one is taken")
    func refuses() throws {
        func applied(_ change: (inout ServerUpdate) -> Void) throws -> ServerParameters {
            var update = ServerUpdate()
            change(&update)
            return try update.applied(to: ServerParameters(name: "Example"))
        }
        #expect(try applied { $0.color = "#767676" }.color?.text == "#767676")
        #expect(throws: ServerUpdateError.lowContrast(field: "color", try color("#777777"), .light)) { try applied { $0.color = "#777777" } }
        #expect(throws: ServerUpdateError.badColor(field: "colordark")) { try applied { $0.colorDark = "light blue" } }
        // The same colour is right by day and wrong by night, and the other way round.
        #expect(throws: ServerUpdateError.lowContrast(field: "colordark", try color("#1f5f66"), .dark)) { try applied { $0.colorDark = "#1f5f66" } }
        #expect(try applied { $0.colorDark = "#8fd0d3" }.colorDark?.text == "#8fd0d3")
        #expect(throws: ServerUpdateError.lowContrast(field: "color", try color("#8fd0d3"), .light)) { try applied { $0.color = "#8fd0d3" } }
        let text = "\(ServerUpdateError.lowContrast(field: "color", try color("#777777"), .light))"
        #expect(text == "color #777777 has a contrast of 4.4 to 1, and needs 4.5 to carry white text; take a darker one")
        #expect(try applied { $0.color = "" }.color == nil)
    }
}
