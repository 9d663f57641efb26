import Foundation

/// Bodies of requests: JSON objects whose mistakes are told by the name of the field.
package enum JSONBody {
    /// - Parameter takesNull: whether a member that is null counts as left out, as pages of our own have it. To a backend it would say that something was
    ///   set which was not.
    /// - Throws: ``FieldRefusal``.
    package static func decode<Value: JSONFields>(
        _: Value.Type, from bytes: [UInt8], takesNull: Bool = true
    ) throws(FieldRefusal) -> Value {
        do {
            let value = try JSONDecoder().decode(Strict<Value>.self, from: Data(bytes)).value
            if let twice = try RepeatedMember.first(in: bytes, takesNull: takesNull) { throw FieldRefusal.bad(twice, "comes more than once") }
            return value
        } catch let error as FieldRefusal {
            throw error
        } catch let error as DecodingError {
            throw refusal(error)
        } catch {
            throw .notJSON
        }
    }

    private static func refusal(_ error: DecodingError) -> FieldRefusal {
        switch error {
        case .keyNotFound(let key, let context): .bad(name(context.codingPath + [key]), "is missing")
        case .valueNotFound(let type, let context): mismatch(type, context)
        case .typeMismatch(let type, let context): mismatch(type, context)
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? .notJSON : .bad(name(context.codingPath), "cannot be read")
        @unknown default: .notJSON
        }
    }

    private static func mismatch(_ type: any Any.Type, _ context: DecodingError.Context) -> FieldRefusal {
        guard !context.codingPath.isEmpty else { return .notAnObject }
        return .bad(name(context.codingPath), "is \(word(for: type))")
    }

    /// `serverFlags[2]`, say.
    fileprivate static func name(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { name, key in
            if let index = key.intValue { name += "[\(index)]" } else { name += (name.isEmpty ? "" : ".") + key.stringValue }
        }
    }

    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is Bool.Type: "true or false"
        case is Int.Type: "a whole number"
        case is String.Type: "a text"
        case is [String].Type, is [Any].Type: "a list of texts"
        default: "of another type"
        }
    }
}

/// An object of a body whose members all have names that the call knows.
package protocol JSONFields: Decodable {
    associatedtype Field: CodingKey & CaseIterable
}

/// Decodes an object and refuses, by its name, what nobody would look at: a person could be shown something else than the caller meant.
package struct Strict<Value: JSONFields>: Decodable {
    package let value: Value

    package init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyField.self).allKeys.sorted(by: { $0.stringValue < $1.stringValue })
        where Value.Field(stringValue: key.stringValue) == nil {
            let known = Value.Field.allCases.map(\.stringValue)
            throw FieldRefusal.unknown(
                JSONBody.name(decoder.codingPath + [AnyField(stringValue: String(key.stringValue.prefix(64)))]),
                nearest: nearestName(to: key.stringValue, among: known))
        }
        value = try Value(from: decoder)
    }
}

/// Whatever name a member has.
package struct AnyField: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { return nil }
}

/// A whole number of a body. The decoder of the library does not say which number was none.
package struct JSONInteger: Decodable {
    package let value: Int

    package init(from decoder: any Decoder) throws {
        do {
            value = try decoder.singleValueContainer().decode(Int.self)
        } catch {
            throw DecodingError.typeMismatch(Int.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no whole number"))
        }
    }
}
