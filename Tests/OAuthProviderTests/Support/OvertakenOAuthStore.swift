import OAuthProvider

/// Lets others come between what a call has read and what it writes.
struct OvertakenOAuthStore: OAuthStore {
    let store: any OAuthStore
    /// What others do in between. It asks another store than this one.
    let others: @Sendable () async throws -> Void

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        try await others()
        return try await store.write(body)
    }
}

extension ProviderFixture {
    /// Services that are as late as can be: others do this when everything was read, before each write.
    func services(overtakenBy others: @Sendable @escaping () async throws -> Void) -> OAuthServices {
        OAuthServices(store: OvertakenOAuthStore(store: store, others: others), keyring: keyring, random: random)
    }
}
