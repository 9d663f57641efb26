import OstiaryProgram
import OstiaryTokens

extension AdminOptions {
    /// A whole list: as one object, or a line each.
    func tell(_ list: String, _ all: [JSONObject], _ columns: (JSONObject) -> [String]) throws {
        guard !json else {
            return try tell(JSONObject([list: .array(all.map { .object($0) }), "totalnumber": .integer(Int64(all.count))]))
        }
        for element in all { try StandardStreams.deliver(columns(element).joined(separator: "  ")) }
    }
}

/// Members as columns of a line; one that is not there is a dash.
extension JSONObject {
    func word(_ name: String, or other: String? = nil) -> String {
        (self[name] ?? other.flatMap { self[$0] })?.string.map { YAMLWriter.line($0) } ?? "-"
    }

    func words(_ name: String) -> String {
        let words = self[name]?.array?.compactMap(\.string) ?? []
        return words.isEmpty ? "-" : YAMLWriter.line(words.joined(separator: " "))
    }

    func time(_ name: String) -> String {
        guard case .integer(let seconds)? = self[name] else { return "-" }
        return "\(seconds)"
    }

    func count(_ name: String) -> Int64 {
        guard case .integer(let count)? = self[name] else { return 0 }
        return count
    }
}
