import OAuthProvider

/// Lets nobody write: whoever has to is refused.
struct ReadOnlyOAuthStore: OAuthStore {
    struct Written: Error {}

    let store: any OAuthStore

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        throw Written()
    }
}

extension ProviderFixture {
    /// Services over a database that nobody writes to.
    var readingServices: OAuthServices { OAuthServices(store: ReadOnlyOAuthStore(store: store), keyring: keyring, random: random) }
}
