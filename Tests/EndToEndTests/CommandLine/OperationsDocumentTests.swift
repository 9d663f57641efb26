import Authentication
import Foundation
import HTTPService
import Testing

@testable import ostiary

/// docs/operations.md tells every setting, in the words of the program.
@Suite("Configuration reference")
struct OperationsDocumentTests {
    @Test("One row for each setting, and no other row")
    func rows() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let text = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "<!-- settings").last?.components(separatedBy: "<!-- end of settings -->").first)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `OSTIARY") }.map(String.init)
        #expect(rows == [SettingKey].ofBothServers.map { "| `\($0.variable)` | `\($0.name)` | \($0.summary) |" })
    }

    @Test("One row for each key of the log, and a word on every kind of the audit trail")
    func logs() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let text = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "<!-- log keys").last?.components(separatedBy: "<!-- end of log keys -->").first)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(rows == LogKey.allCases.map { "| `\($0.rawValue)` | \($0.summary) |" })
        for kind in AuditEntry.Kind.allCases { #expect(text.contains("`\(kind.rawValue)`"), "\(kind)") }
    }
}
