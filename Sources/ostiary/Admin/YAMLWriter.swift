import OstiaryTokens

/// Writes values as `YAMLReader` reads them.
enum YAMLWriter {
    /// An object over several lines, without a line end behind the last.
    static func text(of object: JSONObject) -> String { lines(of: object).joined(separator: "\n") }

    private static func lines(of object: JSONObject) -> [String] {
        object.members.flatMap { member in
            let name = YAMLScalar.text(of: member.name)
            switch member.value {
            case .object(let inner) where !inner.members.isEmpty: return ["\(name):"] + lines(of: inner).map { "  " + $0 }
            case .array(let values) where !values.isEmpty: return ["\(name):"] + values.flatMap(item)
            case let value: return ["\(name): \(line(value))"]
            }
        }
    }

    private static func item(_ value: JSONValue) -> [String] {
        guard case .object(let object) = value, !object.members.isEmpty else { return ["  - \(line(value))"] }
        return lines(of: object).enumerated().map { ($0 == 0 ? "  - " : "    ") + $1 }
    }

    /// A value on one line.
    static func line(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let number): String(number)
        case .fraction(let number): "\"\(number)\""
        case .string(let text): YAMLScalar.text(of: text)
        case .array(let values): "[\(values.map(line).joined(separator: ", "))]"
        case .object(let object):
            "{\(object.members.map { "\(YAMLScalar.text(of: $0.name)): \(line($0.value))" }.joined(separator: ", "))}"
        }
    }
}
