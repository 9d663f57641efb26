import Foundation
import OstiaryProtocol

/// `docs/protocol`, as this program has to agree with it.
struct ProtocolPages {
    /// As they are, and what reads bytes by their fences: looked through once for the hundreds of cases that ask them.
    static let read = Result {
        let pages = try ProtocolPages()
        return (pages: pages, reader: try pages.makeReader())
    }

    static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// File name to text.
    let pages: [String: String]

    private init() throws {
        let folder = Self.project.appendingPathComponent("docs/protocol")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        pages = Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)) })
    }

    private func makeReader() throws -> FenceReader {
        var fences: [String: Fence] = [:]
        for (page, text) in pages {
            for fence in try FenceParser.structures(in: text) {
                guard fences.updateValue(fence, forKey: fence.name) == nil else {
                    throw FenceError(description: "\(page): \(fence.name) stands in two fences")
                }
            }
        }
        return FenceReader(fences: fences, types: try types())
    }

    /// `10 E1, 11 E2` of §2: names of messages with their type.
    func types() throws -> [String: UInt8] {
        let text = try section("Types").prefix { $0 != "." }
        let pairs = text.matches(of: /([0-9A-F]{2}) ([A-Z][A-Za-z0-9]*)/).compactMap { match in
            UInt8(match.1, radix: 16).map { (String(match.2), $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Status numbers of §2 with their names.
    func statuses() throws -> [UInt16: String] {
        let pairs = try section("Status").matches(of: /(?:^|[\s,])(\d+)\s+([A-Z][A-Z_]+)/).compactMap { match in
            UInt16(match.1).map { ($0, String(match.2)) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The labels of §2.
    func labels() throws -> [String] {
        try section("Labels").split(separator: "—", maxSplits: 1)[0].split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// What §2 says of extensions: numbers with the names of their fences.
    func extensions() throws -> [UInt16: String] {
        guard let known = pages["encoding.md"]?.components(separatedBy: " Known: ").dropFirst().first?.components(separatedBy: "\n* ").first else {
            throw FenceError(description: "encoding.md names no extensions")
        }
        let pairs = known.matches(of: /(\d+) ([A-Z][A-Za-z]+)/).compactMap { match in UInt16(match.1).map { ($0, String(match.2)) } }
        return Dictionary(pairs) { first, _ in first }
    }

    private func section(_ name: String) throws -> String {
        guard let part = pages["encoding.md"]?.components(separatedBy: "## \(name)\n").dropFirst().first else {
            throw FenceError(description: "encoding.md has no section \(name)")
        }
        return part.components(separatedBy: "\n## ")[0]
    }
}
