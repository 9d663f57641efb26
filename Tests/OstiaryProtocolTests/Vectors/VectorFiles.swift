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

    static func write(_ content: some Encodable, _ path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(content) + Data("\n".utf8)).write(to: folder.appendingPathComponent(path))
    }

    static func hex(_ bytes: [UInt8]) -> String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
