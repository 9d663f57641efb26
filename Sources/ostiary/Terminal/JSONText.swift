/// A JSON value whose members keep the order in which they were written, on one line (RFC 8259).
enum JSONText: Equatable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    case null
    case bool(Bool)
    case number(Int)
    case string(String)
    case array([JSONText])
    case object([Member])

    struct Member: Equatable {
        let name: String
        let value: JSONText
    }

    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(nilLiteral: ()) { self = .null }

    /// An object with its members in this order.
    static func object(_ members: KeyValuePairs<String, JSONText>) -> JSONText {
        .object(members.map { Member(name: $0.key, value: $0.value) })
    }

    /// A string, or null.
    static func optional(_ text: String?) -> JSONText { text.map(JSONText.string) ?? .null }

    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members): "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            // Controls, and the two line ends that JSON allows and JavaScript once didn't: a reader of lines must never see one.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": quoted += escaped(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
