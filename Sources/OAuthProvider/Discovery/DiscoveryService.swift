import OstiaryProtocol
import OstiaryTokens

/// What anybody may know of the provider of a virtual server.
package struct DiscoveryService: Sendable {
    let context: ProviderContext

    /// What it says of itself now. With the first key of an algorithm comes its name, and where clients register only while they may.
    /// - Throws: `NoProvider`.
    package func metadata(at server: ServerID) async throws -> ProviderMetadata {
        let keys = try await context.keyring.keys(of: server)
        let algorithms = SignatureAlgorithm.allCases.filter { keys.signers[$0] != nil }
        let mode = try await context.store.read { rows in try rows.registrationPolicy(of: server)?.mode ?? .closed }
        return ProviderMetadata(issuer: keys.issuer, algorithms: algorithms, hasRegistration: mode != .closed)
    }

    /// The keys that verify its tokens now.
    /// - Throws: `NoProvider`.
    package func keys(at server: ServerID) async throws -> JWKSet { try await context.keyring.keys(of: server).published }
}
