import Foundation
import HTTPService

/// Bodies of the REST API: JSON objects whose mistakes are told by the name of the field.
enum AdminBody {
    /// - Throws: ``AdminRefusal``.
    static func decode<Value: Decodable>(_: Value.Type, from bytes: [UInt8]) throws(AdminRefusal) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch let error as DecodingError {
            throw refusal(error)
        } catch {
            throw .badJSON
        }
    }

    private static func refusal(_ error: DecodingError) -> AdminRefusal {
        switch error {
        case .keyNotFound(let key, let context): .badField(name(context.codingPath + [key]), "is missing")
        case .valueNotFound(let type, let context): mismatch(type, context)
        case .typeMismatch(let type, let context): mismatch(type, context)
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? .badJSON : .badField(name(context.codingPath), "cannot be read")
        @unknown default: .badJSON
        }
    }

    private static func mismatch(_ type: any Any.Type, _ context: DecodingError.Context) -> AdminRefusal {
        guard !context.codingPath.isEmpty else { return .bodyNotObject }
        return .badField(name(context.codingPath), "is \(word(for: type))")
    }

    /// `serverFlags[2]`, say.
    private static func name(_ path: [any CodingKey]) -> String {
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

/// A whole number of a body. The decoder of the library does not say which number was none.
struct AdminInteger: Decodable {
    let value: Int

    init(from decoder: any Decoder) throws {
        do {
            value = try decoder.singleValueContainer().decode(Int.self)
        } catch {
            throw DecodingError.typeMismatch(Int.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no whole number"))
        }
    }
}
