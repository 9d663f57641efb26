import OstiaryProtocol

/// A request as it came, of which the verifier needs the method, the address and the header.
public struct ResourceRequest: Sendable {
    /// As it stands in the request: `GET`.
    public let method: String
    /// The path with its query, as it came and still escaped: `/timesheets?week=34`.
    public let target: String
    private let fields: [(name: String, value: String)]

    /// - Parameters:
    ///   - method: as it stands in the request.
    ///   - target: path and query, as they came.
    ///   - fields: all of the header, a name as often as it came; or at least `Authorization`, `DPoP` and the field of the webNonce.
    public init(method: String, target: String, fields: [(name: String, value: String)]) {
        self.method = method
        self.target = target
        self.fields = fields
    }

    func values(of name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The names in the query, unescaped and in lower case.
    var queryNames: [String] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        // Up to its end: a request has no fragment, and who reads on behind a "#" finds no token there either.
        let query = target[target.index(after: mark)...]
        return query.split { $0 == "&" || $0 == ";" }.map { pair in PercentEscape.unescaped(pair.prefix { $0 != "=" }).lowercased() }
    }
}
