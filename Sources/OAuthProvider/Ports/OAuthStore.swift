/// Where the provider keeps what it knows: the promises of `AuthenticationStore`, over rows of the same database.
///
/// A body may run twice, draws nothing and verifies no signature; `former` is what the first run answered, whether or not that was kept.
package protocol OAuthStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value

    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value

    /// ``write(_:)``, on which nobody relies, as `AuthenticationStore.writeSoftly` is (docs/decisions/0063).
    @discardableResult
    func writeSoftly<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value
}

extension OAuthStore {
    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// For a body that does the same when it looks again.
    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value {
        try await write { rows, _ in try body(rows) }
    }
}

/// Every question of the provider to its store, in one transaction.
package protocol OAuthRows:
    RegistryRows, RegistrationRows, GrantRows, GivenRows, TokenRows, RequestRows, PersonRows, SpentRows, LogoutRows, PingRows,
    WaitingRows, TryRows
{}
