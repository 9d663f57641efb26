import Foundation
import Testing

/// A folder of `Vectors/`: each file is computed again from its `given` and must come out as it stands there, byte for byte.
///
/// With OSTIARY_WRITE_VECTORS=1 our own files are written instead of compared; those quoted from a standard never are.
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
        let stored = try Data(contentsOf: file)
        let vector = try JSONDecoder().decode(VectorFile.self, from: stored)
        let outcome = try compute(Given(fields: vector.given))
        var computed = vector
        (computed.expect, computed.result) = (outcome.expect, outcome.result)
        let encoded = try Self.encode(computed)
        if vector.source == "own", ProcessInfo.processInfo.environment["OSTIARY_WRITE_VECTORS"] == "1" {
            try encoded.write(to: file)
        } else {
            #expect(computed == vector)
            #expect(String(decoding: encoded, as: UTF8.self) == String(decoding: stored, as: UTF8.self))
        }
    }

    private static func encode(_ vector: VectorFile) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(vector) + Data("\n".utf8)
    }
}
