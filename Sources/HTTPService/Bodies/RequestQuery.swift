import Foundation
import Hummingbird

/// The parameters of a request's query. What a call does not know, and what comes twice, is refused: whoever writes `fr=logins` must not be answered as
/// if nothing had been said.
package struct RequestQuery: Sendable {
    private let parts: [Substring]

    package init(_ request: Request) { parts = (request.uri.query ?? "").split(separator: "&") }

    /// The value of a parameter; nil when it is left out.
    package func value(_ name: String) throws(FieldRefusal) -> String? {
        let values = parts.filter { $0.prefix { $0 != "=" } == name }.map { $0.dropFirst(name.count + 1) }
        guard values.count <= 1 else { throw .bad(name, "comes more than once") }
        return try values.first.map { value throws(FieldRefusal) in
            guard let text = value.removingPercentEncoding else { throw .bad(name, "is not percent-encoded UTF-8") }
            return text
        }
    }

    /// Refuses a parameter that is not among `names`, and one of these that comes twice.
    package func check(knows names: [String]) throws(FieldRefusal) {
        for part in parts {
            let raw = part.prefix { $0 != "=" }
            if names.contains(String(raw)) { continue }
            let name = raw.removingPercentEncoding ?? String(raw)
            throw .unknown(String(name.prefix(64)), nearest: nearestName(to: name, among: names))
        }
        for name in names { _ = try value(name) }
    }
}
