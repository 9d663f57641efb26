import Authentication

/// A store in which something else happens after each question that only reads: between what was looked at and what is done about it.
struct InterruptedStore: AuthenticationStore {
    let store: MemoryStore
    let meanwhile: @Sendable () async throws -> Void

    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        let value = try await store.read(body)
        try await meanwhile()
        return value
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await store.write(body)
    }
}
