import Foundation
import HTTPTypes

@testable import AuthServer

/// What a value of the OpenAPI document may be, as far as the fuzz draws one.
indirect enum APISchema: Sendable {
    /// - `others`: what members may be that have no name of their own; nil where there are none.
    case object([Member], others: APISchema?)
    case array(APISchema)
    case choice([String])
    case integer(ClosedRange<Int>)
    case boolean, text, anything

    struct Member: Sendable {
        let name: String
        let isRequired: Bool
        let value: APISchema
    }

    /// - Parameter document: where references lead.
    init(_ value: [String: Any], in document: [String: Any]) {
        if let reference = value["$ref"] as? String {
            self.init(Self.target(of: reference, in: document), in: document)
        } else if let choices = value["enum"] as? [String] ?? (value["const"] as? String).map({ [$0] }) {
            self = .choice(choices)
        } else {
            switch value["type"] as? String {
            case "object": self = Self.object(value, in: document)
            case "array": self = .array(Self(value["items"] as? [String: Any] ?? [:], in: document))
            case "integer":
                let (least, most) = ((value["minimum"] as? NSNumber)?.intValue ?? 0, (value["maximum"] as? NSNumber)?.intValue ?? 1_000)
                self = .integer(least...max(least, most))
            case "boolean": self = .boolean
            case "string": self = .text
            default: self = .anything
            }
        }
    }

    private static func object(_ value: [String: Any], in document: [String: Any]) -> APISchema {
        let required = Set(value["required"] as? [String] ?? [])
        let properties = value["properties"] as? [String: [String: Any]] ?? [:]
        let others = (value["additionalProperties"] as? [String: Any]).map { APISchema($0, in: document) }
        guard !properties.isEmpty || others != nil else { return .anything }
        let members = properties.keys.sorted().map { name in
            Member(name: name, isRequired: required.contains(name), value: APISchema(properties[name] ?? [:], in: document))
        }
        return .object(members, others: others)
    }

    /// What stands at a `#/components/…`.
    static func target(of reference: String, in document: [String: Any]) -> [String: Any] {
        reference.split(separator: "/").dropFirst().reduce(document) { found, name in found[String(name)] as? [String: Any] ?? [:] }
    }
}

/// A call of the REST API as its document has it.
struct APICall: Sendable {
    let query: [APISchema.Member]
    let body: APISchema?

    /// - Parameter document: all of the OpenAPI document.
    init?(_ route: AdminRoute, in document: [String: Any]) {
        let paths = document["paths"] as? [String: [String: Any]]
        guard let call = paths?[route.path]?[route.method.rawValue.lowercased()] as? [String: Any] else { return nil }
        query = (call["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
            let parameter = (parameter["$ref"] as? String).map { APISchema.target(of: $0, in: document) } ?? parameter
            guard parameter["in"] as? String == "query", let name = parameter["name"] as? String else { return nil }
            let schema = APISchema(parameter["schema"] as? [String: Any] ?? [:], in: document)
            return APISchema.Member(name: name, isRequired: parameter["required"] as? Bool ?? false, value: schema)
        }
        let content = (call["requestBody"] as? [String: Any])?["content"] as? [String: [String: Any]]
        body = (content?["application/json"]?["schema"] as? [String: Any]).map { APISchema($0, in: document) }
    }

    static func document() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(PageAsset.openAPI.bytes)) as? [String: Any] ?? [:]
    }
}
