import Foundation
import Testing

/// docs/phone.md tells scripts of every event that a command prints.
@Suite("The table of events")
struct DocumentedEventTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

    /// The names that the sources of the commands give to events.
    private static func told() throws -> Set<String> {
        let folder = root.appendingPathComponent("Sources/OstiaryPhone/Phone")
        let name = /(?:"event", |nothing: |of: |list\(|deliver\(|event\()\s*"([a-z][A-Za-z]+)"/
        var names: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) where file.pathExtension == "swift" {
            names.formUnion(try String(contentsOf: file, encoding: .utf8).matches(of: name).map { String($0.output.1) })
        }
        return names
    }

    @Test("Each event has its row")
    func rows() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/phone.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## Events\n").last?.components(separatedBy: "\n## ").first)
        let cells = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
        let rows = Set(cells.flatMap { $0.matches(of: /`([A-Za-z]+)`/).map { String($0.output.1) } })
        let told = try Self.told()
        #expect(told.count > 20 && told.isSuperset(of: ["confirmLogin", "sessionStop", "dataWritten", "serviceToken", "account"]))
        #expect(told.subtracting(rows).isEmpty)
    }
}
