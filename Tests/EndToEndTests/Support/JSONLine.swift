import Foundation

/// A JSON value as a script sees it.
enum JSONLine: Decodable, Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONLine])
    case object([String: JSONLine])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONLine].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONLine].self))
        }
    }

    init(_ text: some StringProtocol) throws {
        self = try JSONDecoder().decode(JSONLine.self, from: Data(text.utf8))
    }

    subscript(_ name: String) -> JSONLine? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var int: Int? { if case .number(let value) = self { Int(value) } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONLine]? { if case .array(let value) = self { value } else { nil } }
    /// The name of the event, for lines of `ostiary phone --json`.
    var event: String? { self["event"]?.string }
    var info: JSONLine? { self["secondFactorInfo"] }
}
