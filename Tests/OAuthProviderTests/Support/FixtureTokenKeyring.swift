import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// The token keys of the fixture's server.
struct FixtureTokenKeyring: TokenKeyring {
    let tokenKeys: TokenKeys

    /// - Parameters:
    ///   - key: what the key of ES256 is made of. Another one is that of after a rotation.
    ///   - more: for algorithms beside ES256 and EdDSA.
    init(issuer: String = ProviderFixture.issuer, key: UInt8 = 31, more: [LocalSigner] = []) throws {
        let es256 = try LocalSigner(.es256, stored: [UInt8](repeating: key, count: 32))
        let edDSA = try LocalSigner(.edDSA, stored: [UInt8](repeating: 32, count: 32))
        let signers = [es256, edDSA] + more
        tokenKeys = TokenKeys(
            issuer: issuer, signers: signers, published: JWKSet(signers.map(\.key)), secret: [UInt8](repeating: 33, count: 32))
    }

    func keys(of server: ServerID) async throws -> TokenKeys { tokenKeys }
}

/// Runs each body that writes twice in one transaction, as if the first run was kept and nobody heard of it.
struct RerunningOAuthStore: OAuthStore {
    let store: any OAuthStore

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        try await store.write { rows, _ in
            let first = try body(rows, nil)
            return try body(rows, first)
        }
    }
}
