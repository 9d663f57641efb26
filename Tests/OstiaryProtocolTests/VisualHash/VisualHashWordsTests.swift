import Foundation
import OstiaryProtocol
import Testing

@Suite("Words and colours of the visual hash")
struct VisualHashWordsTests {
    let words = VisualHashWords.list

    @Test("The list in the program is the list in Vectors/visual/words.txt")
    func sameList() throws {
        let file = try String(contentsOf: VectorFolder("visual").url.appendingPathComponent("words.txt"), encoding: .utf8)
        #expect(file == words.joined(separator: "\n") + "\n")
    }

    @Test("256 words of three to seven plain letters, in alphabetical order")
    func shape() {
        #expect(words.count == 256)
        #expect(words == words.sorted())
        #expect(words.allSatisfy { (3...7).contains($0.count) && $0.allSatisfy { ("a"..."z").contains($0) } })
    }

    @Test("No two words begin with the same three letters or differ in fewer than three")
    func distinct() {
        #expect(Set(words.map { $0.prefix(3) }).count == 256)
        for (index, word) in words.enumerated() {
            for other in words.dropFirst(index + 1) { #expect(Self.distance(word, other) >= 3, "\(word) and \(other)") }
        }
    }

    @Test("Every ink stands out from every paper")
    func contrast() {
        for paper in PaletteColour.papers {
            for ink in PaletteColour.inks {
                let ratio = (Self.luminance(paper) + 0.05) / (Self.luminance(ink) + 0.05)
                #expect(ratio >= 4, "\(ink.name) on \(paper.name): \(ratio)")
            }
        }
        #expect(PaletteColour.inks.count == 8 && PaletteColour.papers.count == 4)
        #expect(Set(PaletteColour.inks + PaletteColour.papers).count == 12)
    }

    /// How many letters must change, come or go.
    static func distance(_ left: String, _ right: String) -> Int {
        let target = Array(right.utf8)
        var row = Array(0...target.count)
        for (index, letter) in left.utf8.enumerated() {
            var next = [index + 1]
            for (column, other) in target.enumerated() {
                next.append(min(row[column + 1] + 1, next[column] + 1, row[column] + (letter == other ? 0 : 1)))
            }
            row = next
        }
        return row[target.count]
    }

    /// Relative luminance as the web's contrast rules define it.
    static func luminance(_ colour: PaletteColour) -> Double {
        let linear = [colour.red, colour.green, colour.blue].map { value in
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }
}
