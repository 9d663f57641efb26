import Foundation
import Testing

/// A folder of `Vectors/`: each file is computed again from its `given` and must come out as it stands there, byte for byte.
///
/// `make generate` has our own files written instead of compared; those quoted from a standard never are.
struct VectorFolder {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    typealias Outcome = (expect: VectorClass, result: [String: VectorValue])

    let url: URL

    init(_ name: String) { url = Self.root.appendingPathComponent(name) }

    /// Scenario files by name without extension, sorted.
    var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    }

    func check(_ name: String, _ compute: (Given) throws -> Outcome) throws {
        let file = url.appendingPathComponent("\(name).json")
        let stored = try String(contentsOf: file, encoding: .utf8)
        let vector = try JSONDecoder().decode(VectorFile.self, from: Data(stored.utf8))
        let outcome = try compute(Given(fields: vector.given))
        var computed = vector
        (computed.expect, computed.result) = (outcome.expect, outcome.result)
        let text = try VectorFiles.text(computed)
        if vector.source == "own", VectorFiles.areWritten {
            try text.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(computed == vector)
            #expect(text == stored)
        }
    }
}
