import OstiaryProtocol
import OstiaryTokens

/// What anybody may know of the provider of a virtual server.
package struct DiscoveryService: Sendable {
    let context: ProviderContext

    package struct Published: Equatable, Sendable {
        package let metadata: ProviderMetadata
        package let keys: JWKSet
    }

    /// Whether there is one: an operator made an application or an API. Before that nobody finds anything, and no keys are made.
    package func exists(at server: ServerID) async throws -> Bool { try await context.store.read { rows in try rows.hasProvider(server) } }

    /// What it says of itself now. Keys come and go, and with the first key of an algorithm its name.
    package func published(at server: ServerID) async throws -> Published {
        let keys = try await context.keyring.keys(of: server)
        let algorithms = SignatureAlgorithm.allCases.filter { keys.signers[$0] != nil }
        return Published(metadata: ProviderMetadata(issuer: keys.issuer, algorithms: algorithms), keys: keys.published)
    }
}
