import OAuthProvider

/// Keeps the first run of a body that writes without telling anybody; then others come, and then the body looks again.
struct InterruptedOAuthStore: OAuthStore {
    let store: any OAuthStore
    /// What others do in between. It asks another store than this one.
    let others: @Sendable () async throws -> Void

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }

    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        let first = try await store.write { rows, _ in try body(rows, nil) }
        try await others()
        return try await store.write { rows, _ in try body(rows, first) }
    }
}

extension ProviderFixture {
    /// Services whose commits are kept and not heard of, and while nobody has looked again others do this.
    func services(interruptedBy others: @Sendable @escaping () async throws -> Void) -> OAuthServices {
        OAuthServices(store: InterruptedOAuthStore(store: store, others: others), keyring: keyring, random: random)
    }
}
