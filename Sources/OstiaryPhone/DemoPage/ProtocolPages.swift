import Foundation
import OstiaryProgram

/// The pages of docs/protocol as the repository has them: they are read off line, and are those of this very version.
struct ProtocolPages: Sendable {
    /// In Markdown, by name: `login`.
    private let texts: [String: String]
    private let renderer: MarkdownPage

    /// - Parameter docs: the folder `docs` of the repository; nil when there is none, and then there are no pages.
    init(docs: URL?) {
        let texts = docs.map(Self.all) ?? [:]
        let names = Set(texts.keys)
        self.texts = texts
        renderer = MarkdownPage { Self.address(of: $0, among: names) }
    }

    var isEmpty: Bool { texts.isEmpty }

    /// Of all pages.
    var paths: Set<String> { Set(texts.keys.map { "/protocol/\($0)" }) }

    /// A page as HTML; nil when there is none of that name.
    func page(_ name: String) -> String? { texts[name].map { Self.whole(renderer.html(of: $0)) } }

    /// Of a section; nil when the page is not here.
    func address(of page: String, _ anchor: String) -> String? { texts[page] == nil ? nil : "/protocol/\(page)#\(anchor)" }

    private static func all(in docs: URL) -> [String: String] {
        var texts = texts(in: docs.appendingPathComponent("protocol"))
        texts["index"] = texts.removeValue(forKey: "README")
        // What those pages point to beside themselves.
        for name in ["cryptography", "operations", "rest-api", "threat-model"] {
            texts[name] = try? String(contentsOf: docs.appendingPathComponent("\(name).md"), encoding: .utf8)
        }
        return texts
    }

    private static func texts(in folder: URL) -> [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Dictionary(
            names.filter { $0.hasSuffix(".md") }.compactMap { name in
                (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)).map { (String(name.dropLast(3)), $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// `../cryptography.md#x` is `/protocol/cryptography#x`.
    private static func address(of target: String, among names: Set<String>) -> String? {
        if target.hasPrefix("#") { return target }
        let parts = target.split(separator: "#", maxSplits: 1).map(String.init)
        guard let file = parts.first?.split(separator: "/").last, file.hasSuffix(".md") else { return nil }
        let name = file == "README.md" ? "index" : String(file.dropLast(3))
        return names.contains(name) ? "/protocol/\(name)" + (parts.count > 1 ? "#\(parts[1])" : "") : nil
    }

    private static func whole(_ body: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>The protocol</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/protocol.css"></head>
        <body><nav><a href="/protocol/index">All pages</a></nav><main>\(body)</main></body></html>
        """
    }

    /// The repository's `docs`: below the working directory, or above the program that runs.
    static func docs(near program: URL = ProgramPlace.own) -> URL? {
        var folders = [URL(fileURLWithPath: FileManager.default.currentDirectoryPath)]
        var folder = program.deletingLastPathComponent()
        while folder.path != "/" {
            folders.append(folder)
            folder.deleteLastPathComponent()
        }
        return folders.map { $0.appendingPathComponent("docs") }.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("protocol/README.md").path)
        }
    }
}
