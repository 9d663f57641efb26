import OstiaryProtocol
import OstiaryTokens

/// What the provider works with, and each of its services holds.
struct ProviderContext: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource
}

extension ProviderContext {
    /// What signs by an algorithm: of the keys that a call began with, or of newer ones.
    /// - Throws: `NoSigner`, where nobody named the algorithm.
    func signer(_ algorithm: SignatureAlgorithm, of server: ServerID, among keys: TokenKeys) async throws -> any TokenSigner {
        if let signer = keys.signers[algorithm] { return signer }
        return try await keyring.keys(of: server, signingBy: algorithm).signer(algorithm)
    }
}
