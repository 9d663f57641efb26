import OstiaryProtocol

/// Where instances, attempts and pending keys are kept.
///
/// A body is plain code over the rows of one transaction: it reads a situation, asks a rule and makes the changes of its ruling. Writing bodies run as
/// if one after the other, so what a body read stays true until it has committed; if a body throws, nothing that it did remains. A body may run
/// twice, has no effect but through its rows, draws nothing and verifies no signature. Who asked hears of it when it is on stable storage.
package protocol SecondFactorStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value

    /// When nobody knows whether it was committed, because the database was lost meanwhile, the body looks again, and what it answers then counts.
    /// - Parameter body: `former` is nil in the first run. In the second it is what the first answered, whether or not that was kept: only rows tell.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value
}

extension SecondFactorStore {
    /// For a body that does the same when it looks again: a rule finds the attempt that it counted, the proof that it took, and a key that is gone.
    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value {
        try await write { rows, _ in try body(rows) }
    }

    /// The rows of an instance and an attempt, for verifying signatures before the body that writes.
    /// - Parameter voucher: the PIN_CHANGE_VERIFY that a PIN_CHANGE_SET names.
    package func situation(
        of instance: InstanceID, attempt: AttemptID, voucher: AttemptID? = nil, steadyFor seconds: UInt64 = 0
    ) async throws -> Situation {
        try await read { rows in try rows.situation(of: instance, attempt: attempt, voucher: voucher, steadyFor: seconds) }
    }
}
