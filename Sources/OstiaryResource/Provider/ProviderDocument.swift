import OstiaryTokens

/// What a provider says of itself that an API needs (RFC 8414 §2, OpenID Connect Discovery §3).
struct ProviderDocument: Hashable, Sendable {
    /// Bytes that it may have.
    static let mostBytes = 65_536

    let keys: ProviderAddress?
    let introspection: ProviderAddress?

    /// - Throws: ``Outage`` for what is no metadata, or another issuer's: byte for byte (RFC 8414 §3.3).
    init(_ bytes: [UInt8], of issuer: String) throws(Outage) {
        guard let object = try? JSONReader.object(bytes) else { throw .answerMalformed }
        guard object["issuer"]?.string?.hasBytes(of: issuer) == true else { throw .issuerWrong }
        // An issuer elsewhere sends nobody to a port of this machine: only one that is here itself is reached without TLS.
        let mayBePlain = issuer.hasPrefix("http://")
        let address = { (name: String) in
            object[name]?.string.flatMap { ProviderAddress($0) }.flatMap { mayBePlain || $0.text.hasPrefix("https://") ? $0 : nil }
        }
        keys = address("jwks_uri")
        introspection = address("introspection_endpoint")
    }

    /// Where it is: behind the issuer as OpenID Connect has it, then between host and path as RFC 8414 §3.1 has it.
    static func addresses(of issuer: ProviderAddress) -> [String] {
        let name = "/.well-known/"
        let path = issuer.withoutTrailingSlash.dropFirst(issuer.origin.count)
        return [issuer.withoutTrailingSlash + name + "openid-configuration", issuer.origin + name + "oauth-authorization-server" + path]
    }

    /// The first that is there. One that is there and says something else is the answer, too: what stands behind it is not looked for.
    static func fetch(of issuer: ProviderAddress, by calls: any ResourceCalls) async throws(Outage) -> ProviderDocument {
        var outage = Outage.unreachable
        for address in addresses(of: issuer) {
            let call = ResourceCall(method: .get, address: address, fields: [("Accept", "application/json")], body: nil, mostBytes: mostBytes)
            do throws(Outage) {
                return try ProviderDocument(try await calls.body(of: call), of: issuer.text)
            } catch .status(let status) {
                outage = .status(status)
            }
        }
        throw outage
    }
}
