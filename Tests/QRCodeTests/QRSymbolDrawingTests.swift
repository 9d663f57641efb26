import Foundation
import FoundationXML
import OstiaryTesting
import QRCode
import Testing

@Suite("QR symbol as SVG and in a terminal")
struct QRSymbolDrawingTests {
    let symbol: QRSymbol

    init() throws {
        var random = SplitMix(seed: 1)
        symbol = try QRSymbol(bytes: random.bytes(120))
    }

    @Test("The SVG's one path, painted, is the symbol with its quiet zone")
    func pathIsTheSymbol() throws {
        let document = symbol.svg(title: "Scan to log in")
        let edge = symbol.side + 8
        #expect(document.contains("viewBox=\"0 0 \(edge) \(edge)\""))
        #expect(document.components(separatedBy: "<path").count == 2)

        var painted = [[Bool]](repeating: [Bool](repeating: false, count: edge), count: edge)
        let run = /M(\d+) (\d+)h(\d+)v1h-(\d+)z/
        let path = try #require(document.firstMatch(of: /\ d="([^"]*)"/)).1
        for match in path.matches(of: run) {
            let (left, top, length, back) = (Int(match.1)!, Int(match.2)!, Int(match.3)!, Int(match.4)!)
            #expect(length == back)
            for x in left..<(left + length) { painted[top][x] = true }
        }
        #expect(path.replacing(run, with: "").isEmpty)
        for row in 0..<edge {
            for column in 0..<edge {
                #expect(painted[row][column] == symbol.isDark(column: column - 4, row: row - 4))
            }
        }
    }

    @Test("The SVG is well formed and says what it is, even with a hostile title")
    func titleIsText() throws {
        let title = "</title><script>alert(\"1\")</script> & \u{0} co"
        let reader = TitleReader()
        let parser = XMLParser(data: Data(symbol.svg(title: title).utf8))
        parser.delegate = reader
        #expect(parser.parse())
        #expect(reader.title == "</title><script>alert(\"1\")</script> &  co")
        #expect(reader.label == reader.title)
        #expect(reader.elements == ["svg", "title", "rect", "path"])
    }

    @Test("Half blocks hold the symbol: two rows a line, light modules drawn")
    func halfBlocks() throws {
        let lines = symbol.terminal(style: .plain, margin: 4).split(separator: "\n").map(Array.init)
        #expect(lines.count == (symbol.side + 8 + 1) / 2)
        for (index, line) in lines.enumerated() {
            #expect(line.count == symbol.side + 8)
            for (column, character) in line.enumerated() {
                let upper = !symbol.isDark(column: column - 4, row: 2 * index - 4)
                let lower = !symbol.isDark(column: column - 4, row: 2 * index + 1 - 4)
                let expected: Character = upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
                #expect(character == expected)
            }
        }
    }

    @Test("In colour every line sets its colours and puts them back")
    func colours() {
        let coloured = symbol.terminal().split(separator: "\n")
        let plain = symbol.terminal(style: .plain).split(separator: "\n")
        #expect(coloured.map(String.init) == plain.map { "\u{1B}[38;5;231;48;5;16m\($0)\u{1B}[0m" })
    }
}

private final class TitleReader: NSObject, XMLParserDelegate {
    var title = ""
    var label: String?
    var elements: [String] = []
    private var inTitle = false

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]
    ) {
        elements.append(name)
        inTitle = name == "title"
        if name == "svg" { label = attributes["aria-label"] }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) { inTitle = false }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if inTitle { title += string }
    }
}
