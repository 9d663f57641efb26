/// Published keys of one party (RFC 7517 §5).
package struct JWKSet: Hashable, Sendable {
    package let keys: [JWK]

    package init(_ keys: [JWK]) { self.keys = keys }

    /// Keys of kinds that are unknown here are left out, as RFC 7517 §5 says; a set of none is one that verifies nothing.
    /// - Throws: `JSONError` for what is no set.
    package init(json bytes: [UInt8]) throws(JSONError) {
        guard let entries = try JSONReader.object(bytes)["keys"]?.array else { throw .notAnObject }
        keys = entries.compactMap { entry in entry.object.flatMap { try? JWK($0) } }
    }

    package var json: JSONObject { JSONObject(["keys": .array(keys.map { .object($0.json) })]) }

    /// Whether there is a key that may have made a signature of this kind and name.
    package func hasKey(for algorithm: SignatureAlgorithm, id: String?) -> Bool { !candidates(for: algorithm, id: id).isEmpty }

    /// The keys that may have made a signature: that of the name, or without a name those of the algorithm. A `kid` is compared and nothing else.
    func candidates(for algorithm: SignatureAlgorithm, id: String?) -> [JWK] {
        let fitting = keys.filter { $0.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.id == id }
    }
}
