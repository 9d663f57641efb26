import OstiaryTokens

/// The values of one line of YAML, and texts as they are written there.
enum YAMLScalar {
    /// A line without what follows a number sign that stands at its beginning or behind a space, outside of quotes.
    static func withoutComment(_ line: Substring) -> Substring {
        var quote: Character?
        var former: Character = " "
        var index = line.startIndex
        while index < line.endIndex {
            let character = line[index]
            if let open = quote {
                if open == "\"", character == "\\" {
                    index = line.index(after: index)
                    if index == line.endIndex { break }
                } else if character == open {
                    quote = nil
                }
            } else if character == "\"" || character == "'", " [{,:-".contains(former) {
                quote = character
            } else if character == "#", former == " " {
                return trimmed(line[..<index])
            }
            former = character
            index = line.index(after: index)
        }
        return trimmed(line)
    }

    fileprivate static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.last == " " || text.last == "\t" || text.last == "\r" { text.removeLast() }
        return text
    }

    /// The name that a line begins with, and what follows its colon; nil where there is none.
    static func key(_ content: Substring) -> (name: String, rest: Substring)? {
        if content.first == "\"" || content.first == "'" {
            var reader = FlowReader(content, line: 0)
            guard let name = try? reader.quoted(), reader.rest.first == ":" else { return nil }
            let rest = reader.rest.dropFirst()
            guard rest.isEmpty || rest.first == " " else { return nil }
            return (name, rest.drop { $0 == " " })
        }
        guard let first = content.first, !"[]{},&*!|>%@`?".contains(first) else { return nil }
        var index = content.startIndex
        while let colon = content[index...].firstIndex(of: ":") {
            let after = content.index(after: colon)
            if after == content.endIndex || content[after] == " " {
                let name = trimmed(content[..<colon])
                return name.isEmpty ? nil : (String(name), content[after...].drop { $0 == " " })
            }
            index = after
        }
        return nil
    }

    /// - Throws: ``YAMLError``.
    static func value(_ text: Substring, line: Int) throws -> JSONValue {
        if let first = text.first, !"[{\"'".contains(first) { return try plain(text, line: line) }
        var reader = FlowReader(text, line: line)
        let value = try reader.value(depth: 0)
        guard reader.rest.allSatisfy({ $0 == " " }) else { throw YAMLError(line: line, problem: "has something behind its value") }
        return value
    }

    /// A text without quotes: a word, a number, true or false.
    static func plain(_ text: Substring, line: Int) throws -> JSONValue {
        guard let first = text.first, !"&*!|>%@`?#,[]{}\"'".contains(first), !text.hasPrefix("- "), text != "-" else {
            throw YAMLError(line: line, problem: "has a value that begins with a sign of YAML: put it into quotes")
        }
        guard !text.contains(": "), text.last != ":" else { throw YAMLError(line: line, problem: "has a second colon: put the value into quotes") }
        guard !text.contains(where: { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }) else {
            throw YAMLError(line: line, problem: "has a control character")
        }
        switch text {
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        guard !ambiguous.contains(text.lowercased()) else {
            throw YAMLError(line: line, problem: "has \(text), which YAML does not take for one thing: use true, false or quotes")
        }
        guard looksLikeNumber(text) else { return .string(String(text)) }
        guard let number = Int64(text), String(number) == text else {
            throw YAMLError(line: line, problem: "has a number that is not whole and plain: put it into quotes if it is a text")
        }
        return .integer(number)
    }

    private static let ambiguous: Set<String> = ["~", "null", "yes", "no", "on", "off", "y", "n", "true", "false", ".inf", ".nan", "-.inf", "+.inf"]

    /// Digits with what numbers have beside them in one reader of YAML or another.
    private static func looksLikeNumber(_ text: Substring) -> Bool {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
        guard let first = digits.first(where: { $0 != "." }), first.isASCII, first.isNumber else { return false }
        return digits.allSatisfy { $0.isASCII && ($0.isHexDigit || "._xo:+-".contains($0)) } && digits.filter { $0 == "." }.count <= 1
            && !digits.dropFirst().contains("-")
    }

    /// A text as it is read here again: plain where that is the same, otherwise in quotes, with every control character escaped.
    static func text(of text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { $0 > 0x1F && $0 < 0x7F } && text.first != " " && text.last != " "
            && !text.contains(where: { "[]{},".contains($0) }) && withoutComment(text[...]) == text[...]
            && (try? plain(text[...], line: 0)) == .string(text)
        guard !isPlain else { return text }
        return String(decoding: JSONObject(["": .string(text)]).encoded.dropFirst("{\"\":".utf8.count).dropLast(), as: UTF8.self)
    }
}

/// Reads what stands in brackets or quotes, on one line.
private struct FlowReader {
    private(set) var rest: Substring
    private let line: Int

    init(_ text: Substring, line: Int) { (rest, self.line) = (text, line) }

    mutating func value(depth: Int) throws -> JSONValue {
        guard depth < 4 else { throw YAMLError(line: line, problem: "is nested too deeply for one line") }
        switch rest.first {
        case "[": return .array(try list(depth: depth))
        case "{": return .object(try mapping(depth: depth))
        case "\"", "'": return .string(try quoted())
        default:
            let word = rest.prefix { !",]}".contains($0) }
            rest = rest[word.endIndex...]
            return try YAMLScalar.plain(YAMLScalar.trimmed(word), line: line)
        }
    }

    private mutating func list(depth: Int) throws -> [JSONValue] {
        var values: [JSONValue] = []
        while try goesOn(before: "]", isFirst: values.isEmpty) { values.append(try value(depth: depth + 1)) }
        return values
    }

    private mutating func mapping(depth: Int) throws -> JSONObject {
        var object = JSONObject()
        while try goesOn(before: "}", isFirst: object.members.isEmpty) {
            guard let (name, rest) = YAMLScalar.key(rest), !rest.isEmpty, !name.contains(where: { "[]{},".contains($0) }) else {
                throw YAMLError(line: line, problem: "has no name and colon in its braces")
            }
            guard object[name] == nil else { throw YAMLError(line: line, problem: "has \(YAMLScalar.text(of: name)) twice") }
            self.rest = rest
            object[name] = try value(depth: depth + 1)
        }
        return object
    }

    /// Goes to the next element, behind the bracket or the comma; false behind the end.
    private mutating func goesOn(before end: Character, isFirst: Bool) throws -> Bool {
        if isFirst { rest.removeFirst() }
        rest = rest.drop { $0 == " " }
        if rest.first == end {
            rest.removeFirst()
            return false
        }
        if !isFirst {
            guard rest.first == "," else { throw YAMLError(line: line, problem: "has brackets without an end, or two values without a comma") }
            rest = rest.dropFirst().drop { $0 == " " }
        }
        guard !rest.isEmpty else { throw YAMLError(line: line, problem: "has brackets that do not end on it: write such a list below its name") }
        return true
    }

    /// A text in quotes, at which the reader stands.
    mutating func quoted() throws -> String {
        let quote = rest.removeFirst()
        var raw = ""
        while let character = rest.popFirst() {
            if character == quote {
                guard quote == "'", rest.first == "'" else { return try quote == "'" ? raw : unescaped(raw) }
                rest.removeFirst()
            }
            raw.append(character)
            if quote == "\"", character == "\\", let escaped = rest.popFirst() { raw.append(escaped) }
        }
        throw YAMLError(line: line, problem: "has a quote that does not end on it")
    }

    /// The escapes of JSON, which mean the same in YAML.
    private func unescaped(_ raw: String) throws -> String {
        guard let text = (try? JSONReader.value(Array("\"\(raw)\"".utf8)))?.string else {
            throw YAMLError(line: line, problem: "has an escape that JSON does not know")
        }
        return text
    }
}
