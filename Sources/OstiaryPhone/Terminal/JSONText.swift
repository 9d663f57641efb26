import HTTPService

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

    var text: String { JSONWriter.line(write) }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let values): writer.array(values) { writer, value in value.write(to: &writer) }
        case .object(let members):
            writer.object { writer in
                for member in members {
                    writer.name(of: member.name)
                    member.value.write(to: &writer)
                }
            }
        }
    }
}
