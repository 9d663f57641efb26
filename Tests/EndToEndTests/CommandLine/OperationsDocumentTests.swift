import Authentication
import Database
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

    @Test("What readiness says of a database stands in the table that says what to do, in the words of the program")
    func readiness() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let text = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
        let rest = try #require(text.components(separatedBy: "### What readiness says, and what to do").last)
        let section = try #require(rest.components(separatedBy: "\n### ").first)
        let said: [(String, any Error)] = [
            ("cannot be reached (", Unreachable(reason: "x")), ("cannot be reached: a server that runs", SQLError.unavailable),
            ("is locked by another process, or too busy", SQLError.busy), ("commits are not answered", SQLError.commitsUnanswered(standbys: nil)),
            ("transactions collided", SQLError.collided), ("is full", SQLError.diskFull(path: "x")),
            ("refuses to read or write", SQLError.diskFails(path: "x", reason: "y")),
            ("has not the right", SQLError.notAllowed(path: "x", reason: "y")),
            ("a table of this server is not there", SQLError.tableMissing(path: "x")),
            ("has not all that its schema has", SQLError.indexMissing(path: "x")),
            ("has no memory left", SQLError.noMemory(path: "x", reason: "y")),
            ("no synchronous standby", NoStandby.notAwaited),
            ("synchronous standbys are connected", NoStandby.absent(names: "x", found: 1, needed: 2)),
            ("what standbys do is hidden", NoStandby.hidden(role: "x")),
        ]
        for (words, error) in said { #expect(section.contains(words) && "\(error)".contains(words), "\(words)") }
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
