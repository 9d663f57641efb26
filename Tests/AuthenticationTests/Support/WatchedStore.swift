import Synchronization
import Testing

@testable import Authentication

/// The store of a world, which sees to it that no transaction that writes verifies a signature of the request at work: all writers would wait for it.
struct WatchedStore: AuthenticationStore {
    /// The signatures of the request that this task answers.
    @TaskLocal static var signatures: SignatureChecks?

    let store: MemoryStore
    var report: @Sendable () -> Void = { Issue.record("a signature was verified in a transaction that writes") }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        try await store.read(body)
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let (signatures, report) = (Self.signatures, report)
        return try await store.write { rows, former in
            let before = signatures?.count
            defer { if signatures?.count != before { report() } }
            return try body(rows, former)
        }
    }
}
