import Foundation
import Hummingbird

/// The parameters of a request's query. What a call does not know, and what comes twice, is refused: whoever writes `fr=logins` must not be answered as
/// if nothing had been said.
package struct RequestQuery: Sendable {
    private struct Part: Sendable {
        /// As it was written.
        let raw: Substring
        /// Nil when it is not percent-encoded UTF-8.
        let name: String?
        let value: Substring

        init(_ text: Substring) {
            raw = text.prefix { $0 != "=" }
            name = raw.removingPercentEncoding
            value = text.dropFirst(raw.count + 1)
        }
    }

    private let parts: [Part]

    package init(_ request: Request) { parts = (request.uri.query ?? "").split(separator: "&").map(Part.init) }

    /// The value of a parameter; nil when it is left out.
    package func value(_ name: String) throws(FieldRefusal) -> String? {
        let values = parts.filter { $0.name == name }.map(\.value)
        guard values.count <= 1 else { throw .bad(name, "comes more than once") }
        return try values.first.map { value throws(FieldRefusal) in
            guard let text = value.removingPercentEncoding else { throw .bad(name, "is not percent-encoded UTF-8") }
            return text
        }
    }

    /// Refuses a parameter that is not among `names`, and one of these that comes twice, however each is written.
    package func check(knows names: [String]) throws(FieldRefusal) {
        for part in parts {
            guard let name = part.name else { throw .bad(String(part.raw.prefix(64)), "is not percent-encoded UTF-8") }
            if names.contains(name) { continue }
            throw .unknown(String(name.prefix(64)), nearest: nearestName(to: name, among: names))
        }
        for name in names { _ = try value(name) }
    }
}
