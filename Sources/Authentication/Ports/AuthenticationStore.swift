import OstiaryProtocol

/// Where the authentication server keeps what it knows.
///
/// A body is plain code over the rows of one transaction: it loads values, runs a machine of this domain on them and saves what came out.
/// Writing bodies run as if one after the other, so a question that a body asked stays answered until it ends; if a body throws, nothing that it
/// did remains. A body may run twice, has no effect but through its rows, and draws nothing: fresh values are drawn before it. It changes rows in one order,
/// or two of them wait for each other: account, cache, session, pointer of a nonce, enrolment, instance (docs/decisions/0075).
package protocol AuthenticationStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value

    /// When nobody knows whether it was committed, because the database was lost meanwhile, the body looks again, and what it answers then counts.
    /// - Parameter body: `former` is nil in the first run. In the second it is what the first answered, whether or not that was kept: only rows tell.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value

    /// ``write(_:)``, on which nobody relies: a power cut may take it back, with all such that came after it. It must be such that nothing happens twice then, and
    /// that whoever was told of it begins anew. Which ones are is listed in docs/decisions/0063; a store may take them for others.
    @discardableResult
    func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value

    /// As ``SessionRows/view(nonceHash:of:)``, which is the only question: cheaper than a body that asks it.
    func view(nonceHash: [UInt8], of server: ServerID) async throws -> SessionView?

    /// The same, where this store can look it up on the thread of whoever asks, without waiting for anybody. Nil where it can't, and
    /// where there is none: then the answer is in ``read(_:)``.
    func viewAtOnce(nonceHash: [UInt8], of server: ServerID) -> SeenView?
}

extension AuthenticationStore {
    package func view(nonceHash: [UInt8], of server: ServerID) async throws -> SessionView? {
        try await read { try $0.view(nonceHash: nonceHash, of: server) }
    }

    package func viewAtOnce(nonceHash: [UInt8], of server: ServerID) -> SeenView? { nil }

    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// ``writeSoftly(_:)``, if what came of it is such that nobody relies on it. Otherwise that is taken back, and done once more by ``write(_:)``.
    @discardableResult
    package func writeAsReliedOn<Value: PerhapsReliedOn>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        do {
            return try await writeSoftly { rows, former in
                let value = try body(rows, former)
                guard !value.isReliedOn else { throw ReliedOn() }
                return value
            }
        } catch is ReliedOn { return try await write(body) }
    }

    /// For a body that does the same when it looks again.
    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        try await write { rows, _ in try body(rows) }
    }
}

/// Every feature's questions to the store, in one transaction.
package protocol AuthenticationRows: ServerRows, SessionRows, AccountRows, InstanceRows, EnrolmentRows, CloseRows, LeaveRows, ReplayRows, AuditRows,
    ExpiryRows, ClockRows, OfflineRows, ServiceBehindRows
{}

/// What came of a write, on which somebody relies or nobody does: that shows only when it was done.
package protocol PerhapsReliedOn: Sendable {
    /// Whether it must not be lost.
    var isReliedOn: Bool { get }
}

/// What a write did is relied on.
private struct ReliedOn: Error, Equatable {}
