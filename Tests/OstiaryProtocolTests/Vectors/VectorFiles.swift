import Foundation
import OstiaryProtocol

/// The folder `Vectors/` at the root of the project.
enum VectorFiles {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    static func read<Content: Decodable>(_: Content.Type, _ path: String) throws -> Content {
        try JSONDecoder().decode(Content.self, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// Whether tests that hold a file to what is made of it today write it instead: `make generate` asks for it.
    static let areWritten = ProcessInfo.processInfo.environment["OSTIARY_GENERATE"] == "1"

    /// The text of a file: a value a line, keys sorted.
    static func text(_ content: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(content), as: UTF8.self) + "\n"
    }

    static func hex(_ bytes: [UInt8]) -> String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
