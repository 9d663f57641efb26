import OstiaryProtocol
import OstiaryTokens

/// What anybody may know of the provider of a virtual server.
package struct DiscoveryService: Sendable {
    let context: ProviderContext

    package struct Published: Equatable, Sendable {
        package let metadata: ProviderMetadata
        package let keys: JWKSet
    }

    /// What it says of itself now. Keys come and go, and with the first key of an algorithm its name.
    /// - Throws: `NoProvider`.
    package func published(at server: ServerID) async throws -> Published {
        let keys = try await context.keyring.keys(of: server)
        let algorithms = SignatureAlgorithm.allCases.filter { keys.signers[$0] != nil }
        return Published(metadata: ProviderMetadata(issuer: keys.issuer, algorithms: algorithms), keys: keys.published)
    }
}
