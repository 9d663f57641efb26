/// A JSON value as tokens carry it (RFC 8259).
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent.
    case fraction(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    package var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The strings of an array that has nothing else in it.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }

    package static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

/// The members of a JSON object, in the order in which they are written. No name is there twice: what two readers could read differently proves
/// nothing.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSONValue
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// What is nil is left out.
    package init(_ members: KeyValuePairs<String, JSONValue?>) {
        for (name, value) in members {
            if let value { self[name] = value }
        }
    }

    /// Takes the place of a member of that name, or is the last; nil removes it.
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index] = Member(name: name, value: value)
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    package var names: [String] { members.map(\.name) }

    /// For the reader, which looks for names that are there twice by itself.
    mutating func append(_ name: String, _ value: JSONValue) { members.append(Member(name: name, value: value)) }
}
