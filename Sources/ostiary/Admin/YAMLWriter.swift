import OstiaryTokens
import Yams

/// Writes values as `YAMLReader` reads them.
enum YAMLWriter {
    /// An object over several lines, without a line end behind the last.
    static func text(of object: JSONObject) -> String { written(node(.object(object), isFlow: false)) ?? line(.object(object)) }

    /// A value on one line.
    static func line(_ value: JSONValue) -> String {
        // In brackets, because a document that is one plain text may get an end mark.
        guard let text = written(Node([node(value, isFlow: true)], .implicit, .flow)), text.hasPrefix("["), text.hasSuffix("]") else {
            return String(decoding: JSONObject(["value": value]).encoded, as: UTF8.self)
        }
        return String(text.dropFirst().dropLast())
    }

    /// A text on one line, in quotes where it would be read as something else.
    static func line(_ text: String) -> String {
        // As an item of a list, where fewer texts need quotes than in brackets.
        guard let item = written(Node([scalar(text)], .implicit, .block)), item.hasPrefix("- ") else { return line(.string(text)) }
        return String(item.dropFirst(2))
    }

    /// Nil where the library can't, which no value of ours was seen to do.
    private static func written(_ node: Node) -> String? {
        guard var text = try? serialize(node: node, width: -1, allowUnicode: true) else { return nil }
        while text.last == "\n" { text.removeLast() }
        return text
    }

    private static func node(_ value: JSONValue, isFlow: Bool) -> Node {
        switch value {
        case .null: Node("null", Tag(.null))
        case .bool(let value): Node(value ? "true" : "false", Tag(.bool))
        case .integer(let number): Node(String(number), Tag(.int))
        case .fraction(let number): scalar("\(number)")
        case .string(let text): scalar(text)
        case .array(let values): Node(values.map { node($0, isFlow: isFlow) }, .implicit, isFlow ? .flow : .any)
        case .object(let object):
            Node(object.members.map { (scalar($0.name), node($0.value, isFlow: isFlow)) }, .implicit, isFlow ? .flow : .any)
        }
    }

    /// What would not stand on one line, or not be seen, is escaped.
    private static func scalar(_ text: String) -> Node {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        guard isPlain else { return Node(text, Tag(.str), .doubleQuoted) }
        let scalar: Node.Scalar = text.represented()
        return .scalar(scalar)
    }
}
