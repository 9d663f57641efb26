import OstiaryProtocol
import OstiaryTokens

/// What anybody may know of the provider of a virtual server.
package struct DiscoveryService: Sendable {
    let context: ProviderContext

    /// What it says of itself now: where clients register only while they may.
    /// - Throws: `NoProvider`.
    package func metadata(at server: ServerID) async throws -> ProviderMetadata {
        let keys = try await context.keyring.keys(of: server)
        let mode = try await context.store.read { rows in try rows.registrationPolicy(of: server)?.mode ?? .closed }
        return ProviderMetadata(issuer: keys.issuer, hasRegistration: mode != .closed)
    }

    /// The keys that verify its tokens now.
    /// - Throws: `NoProvider`.
    package func keys(at server: ServerID) async throws -> JWKSet { try await context.keyring.keys(of: server).published }
}
