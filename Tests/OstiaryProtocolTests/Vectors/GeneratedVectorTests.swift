import Foundation
import Testing

/// What makes the files of some folders of `Vectors/`, by path. Folders that share what one maker draws are in one.
struct VectorMaker: CustomTestStringConvertible, Sendable {
    let folders: [String]
    let make: @Sendable () throws -> [String: any Encodable]

    var testDescription: String { folders.joined(separator: ", ") }

    func texts() throws -> [String: String] { try make().mapValues { try VectorFiles.text($0) } }
}

/// Keys of devices, their signatures and what HPKE seals with are drawn each time a file is made, so it is made twice: a line that comes out alike
/// must stand in the file, any other must be as long there. (The shortest that is drawn has 20 bits.)
///
/// `make generate` has the files written instead, all of a maker when one of them differs, and none otherwise.
@Suite("Vectors that a program makes")
struct GeneratedVectorTests {
    static let makers = [
        VectorMaker(folders: ["derivations"]) { [DerivationVectorTests.file: try DerivationVectorTests.computed()] },
        VectorMaker(folders: ["exchange"]) {
            [ExchangeVectorTests.file: try ExchangeVectorTests.made(), AnswerVectorTests.file: try AnswerVectorTests.made()]
        },
        VectorMaker(folders: ["messages"]) { try MessageVectorTests.made() },
        VectorMaker(folders: ["transcript", "calls"]) { try TranscriptFiles().contents },
    ]

    @Test("Every file is as it is made today, but for what is drawn, and there is none that nobody makes", arguments: makers)
    func current(_ maker: VectorMaker) throws {
        let (made, again) = (try maker.texts(), try maker.texts())
        var stale: [String] = []
        for (path, text) in made {
            let stored = (try? String(contentsOf: VectorFiles.folder.appendingPathComponent(path), encoding: .utf8)) ?? ""
            if let line = Self.difference(stored, text, again[path] ?? "") { stale.append("Vectors/\(path):\(line)") }
        }
        if VectorFiles.areWritten, !stale.isEmpty {
            for (path, text) in made { try text.write(to: VectorFiles.folder.appendingPathComponent(path), atomically: true, encoding: .utf8) }
        } else {
            #expect(stale.sorted() == [], "`make generate` writes them anew")
        }
        for folder in maker.folders {
            let files = try FileManager.default.contentsOfDirectory(atPath: VectorFiles.folder.appendingPathComponent(folder).path)
            for file in files where file.hasSuffix(".json") { #expect(made["\(folder)/\(file)"] != nil, "nobody makes \(folder)/\(file)") }
        }
    }

    @Test(
        "A file differs by another value, another length of what is drawn, another name, a line more or less",
        arguments: [
            ("{\n  \"a\" : 1,\n  \"b\" : \"aa55\"\n}\n", nil), ("{\n  \"a\" : 1,\n  \"b\" : \"0f0f\"\n}\n", nil),
            ("{\n  \"a\" : 2,\n  \"b\" : \"aa55\"\n}\n", 2), ("{\n  \"a\" : 1,\n  \"b\" : \"aa55aa\"\n}\n", 3),
            ("{\n  \"a\" : 1,\n  \"c\" : \"aa55\"\n}\n", 3), ("{\n  \"a\" : 1\n}\n", 2), ("{\n  \"a\" : 1,\n  \"b\" : \"aa55\"\n}\n\n", 6),
            ("{\n  \"a\" : 1,\n  \"b\" : \"aa55\"\n}", 5), ("", 1),
        ] as [(String, Int?)])
    func differences(_ stored: String, _ line: Int?) {
        #expect(Self.difference(stored, "{\n  \"a\" : 1,\n  \"b\" : \"1234\"\n}\n", "{\n  \"a\" : 1,\n  \"b\" : \"abcd\"\n}\n") == line)
    }

    /// The number of the first line of a file that is not as it was made both times.
    private static func difference(_ stored: String, _ made: String, _ again: String) -> Int? {
        let texts = [stored, made, again].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        for index in 0..<(texts.map(\.count).max() ?? 0) {
            guard texts.allSatisfy({ index < $0.count }) else { return index + 1 }
            let (stored, made, again) = (texts[0][index], texts[1][index], texts[2][index])
            let isDrawn = made != again
            guard isDrawn ? stored.count == made.count && name(stored) == name(made) : stored == made else { return index + 1 }
        }
        return nil
    }

    /// What stands before the value.
    private static func name(_ line: Substring) -> Substring? {
        line.firstRange(of: " : ").map { line[..<$0.lowerBound] }
    }
}
