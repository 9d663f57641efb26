import OstiaryTokens

/// Why a text is not the YAML that is read here.
struct YAMLError: Error, Equatable, CustomStringConvertible {
    let line: Int
    let problem: String

    var description: String { "line \(line): \(problem)" }
}

/// Reads the part of YAML 1.2 in which people write settings: mappings and lists by indentation or in brackets on one line, plain and quoted texts, whole
/// numbers, true and false, comments. What other readers take for something else (`yes`, `012`, `~`), and what nobody needs here (anchors, tags, texts
/// over several lines, a second document), is refused by its line, so that nothing is read in a way that was not meant. A text that begins with a brace
/// is JSON.
struct YAMLReader {
    private struct Line {
        let number: Int
        var indent: Int
        var content: Substring
    }

    private static let mostDepth = 12

    private var lines: [Line] = []
    private var next = 0

    /// - Throws: ``YAMLError``.
    static func object(_ text: String) throws -> JSONObject {
        if text.first(where: { !$0.isWhitespace }) == "{" {
            do { return try JSONReader.object(Array(text.utf8)) } catch { throw YAMLError(line: 1, problem: "the file begins as JSON and is none") }
        }
        var reader = try YAMLReader(text)
        guard let first = reader.lines.first else { return JSONObject() }
        guard first.indent == 0 else { throw YAMLError(line: first.number, problem: "begins with spaces, and nothing stands above it") }
        let value = try reader.block(indent: 0, depth: 0)
        if let rest = reader.current { throw YAMLError(line: rest.number, problem: "does not stand below what is above it: count the spaces") }
        guard case .object(let object) = value else { throw YAMLError(line: first.number, problem: "a name, a colon and a value is wanted here") }
        return object
    }

    private init(_ text: String) throws {
        for (index, raw) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = YAMLScalar.withoutComment(raw.drop { $0 == " " })
            if content.isEmpty { continue }
            let line = Line(number: index + 1, indent: raw.prefix { $0 == " " }.count, content: content)
            if content == "---", lines.isEmpty { continue }
            guard content != "---", content != "..." else { throw YAMLError(line: line.number, problem: "one document is read, and here is another") }
            guard content.first != "\t" else { throw YAMLError(line: line.number, problem: "begins with a tab: indent with spaces") }
            lines.append(line)
        }
    }

    private var current: Line? { next < lines.count ? lines[next] : nil }

    private mutating func block(indent: Int, depth: Int) throws -> JSONValue {
        guard let first = current else { return .null }
        guard depth < Self.mostDepth else { throw YAMLError(line: first.number, problem: "is nested too deeply") }
        return Self.isItem(first.content) ? try list(indent: indent, depth: depth) : .object(try mapping(indent: indent, depth: depth))
    }

    private static func isItem(_ content: Substring) -> Bool { content == "-" || content.hasPrefix("- ") }

    private mutating func list(indent: Int, depth: Int) throws -> JSONValue {
        var values: [JSONValue] = []
        while let line = current, line.indent == indent, Self.isItem(line.content) {
            let rest = line.content.dropFirst().drop { $0 == " " }
            guard !rest.isEmpty else { throw YAMLError(line: line.number, problem: "has nothing behind its dash") }
            if YAMLScalar.key(rest) == nil {
                next += 1
                values.append(try YAMLScalar.value(rest, line: line.number))
            } else {
                // A mapping that begins behind the dash: as if it stood on a line of its own.
                lines[next].indent += line.content.count - rest.count
                lines[next].content = rest
                values.append(.object(try mapping(indent: lines[next].indent, depth: depth + 1)))
            }
        }
        return .array(values)
    }

    private mutating func mapping(indent: Int, depth: Int) throws -> JSONObject {
        guard depth < Self.mostDepth else { throw YAMLError(line: lines[next].number, problem: "is nested too deeply") }
        var object = JSONObject()
        var places: [String: Int] = [:]
        while let line = current, line.indent == indent, !Self.isItem(line.content) {
            guard let (name, rest) = YAMLScalar.key(line.content) else {
                throw YAMLError(line: line.number, problem: "a name, a colon, a space and a value is wanted here")
            }
            if let former = places.updateValue(line.number, forKey: name) {
                throw YAMLError(line: line.number, problem: "\(YAMLScalar.text(of: name)) stands in line \(former) already")
            }
            next += 1
            object[name] = rest.isEmpty ? try below(line, depth: depth) : try YAMLScalar.value(rest, line: line.number)
        }
        return object
    }

    /// What stands under a name that has nothing beside it.
    private mutating func below(_ line: Line, depth: Int) throws -> JSONValue {
        guard let first = current, first.indent > line.indent || first.indent == line.indent && Self.isItem(first.content) else {
            throw YAMLError(line: line.number, problem: "has no value: write {} or [] for nothing, or leave it out")
        }
        return try block(indent: first.indent, depth: depth + 1)
    }
}
