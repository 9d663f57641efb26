import Foundation

/// What the sources of a target say to the tables of their database, for tests of what they never say.
package struct SourceTexts: Sendable {
    private let text: String

    /// - Parameters:
    ///   - target: the name of its folder. What steps of a schema do is done once, before anybody asks, and is left out.
    ///   - other: one more file, of another target.
    package init(of target: String, besides other: String? = nil) throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = sources.appendingPathComponent(target)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") && !$0.contains("Schema") }
        let files = names.map { folder.appendingPathComponent($0) } + (other.map { [sources.appendingPathComponent($0)] } ?? [])
        text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// How often it says this.
    package func count(of words: String) -> Int { text.components(separatedBy: words).count - 1 }

    /// Whether a statement changes rows of this table: by its name, in the place of one that is there, or as `SQLTable` does.
    package func changes(_ table: String) -> Bool {
        if count(of: "UPDATE \(table) ") > 0 || isFollowed("SQLTable(", by: "\"\(table)\"") { return true }
        // Up to the end of the text in quotes.
        return text.components(separatedBy: "INSERT INTO \(table) ").dropFirst().contains { rest in
            rest.prefix { $0 != "\"" }.contains("DO UPDATE")
        }
    }

    /// Whether a statement removes rows of this table, by its name or by the call that is given it.
    package func removes(_ table: String) -> Bool { count(of: "DELETE FROM \(table) ") > 0 || isFollowed("remove(from:", by: "\"\(table)\"") }

    private func isFollowed(_ call: String, by word: String) -> Bool {
        text.components(separatedBy: call).dropFirst().contains { $0.drop { $0.isWhitespace }.hasPrefix(word) }
    }
}
