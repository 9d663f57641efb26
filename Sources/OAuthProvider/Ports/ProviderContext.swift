import OstiaryProtocol

/// What the provider works with, and each of its services holds.
struct ProviderContext: Sendable {
    let store: any OAuthStore
    let keyring: any TokenKeyring
    let random: any RandomSource
}
