import OstiaryTokens

/// One claim of a token, as JSON has it (RFC 8259).
public enum ClaimValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A whole number without an exponent.
    case integer(Int64)
    case fraction(Double)
    case string(String)
    case array([ClaimValue])
    case object([String: ClaimValue])

    /// The text of a string; nil for anything else.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    public var array: [ClaimValue]? { if case .array(let values) = self { values } else { nil } }
    public var object: [String: ClaimValue]? { if case .object(let members) = self { members } else { nil } }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let number): self = .integer(number)
        case .fraction(let number): self = .fraction(number)
        case .string(let text): self = .string(text)
        case .array(let values): self = .array(values.map(ClaimValue.init))
        case .object(let object): self = .object(object.claimValues)
        }
    }
}

extension JSONObject {
    /// By name. The reader lets no name be there twice.
    var claimValues: [String: ClaimValue] {
        Dictionary(members.map { ($0.name, ClaimValue($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}
