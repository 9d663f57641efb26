import OstiaryProtocol

/// Where instances, attempts and pending keys are kept.
///
/// A body is plain code over the rows of one transaction: it reads a situation, asks a rule and makes the changes of its ruling. Writing bodies run as
/// if one after the other, so what a body read stays true until it has committed; if a body throws, nothing that it did remains. A body may run
/// twice, has no effect but through its rows, draws nothing and verifies no signature. Who asked hears of it when it is on stable storage, but for the one
/// write that is soft (docs/decisions/0067).
package protocol SecondFactorStore: Sendable {
    func read<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value

    /// When nobody knows whether it was committed, because the database was lost meanwhile, the body looks again, and what it answers then counts.
    /// - Parameter body: `former` is nil in the first run. In the second it is what the first answered, whether or not that was kept: only rows tell.
    @discardableResult
    func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value

    /// ``write(_:)``, on which nobody relies: a power cut may take it back, with all such that came after it, and nothing that was told by ``write(_:)`` after
    /// them. What it changes must be to nobody's advantage when it is gone. A store may take it for ``write(_:)``.
    @discardableResult
    func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value
}

/// What came of a write, on which somebody relies or nobody does: that shows only when it was done.
package protocol PerhapsReliedOn: Sendable {
    /// Whether it must not be lost.
    var isReliedOn: Bool { get }
}

/// What a write did is relied on.
private struct ReliedOn: Error, Equatable {}

extension SecondFactorStore {
    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(body)
    }

    /// ``writeSoftly(_:)``, if what came of it is such that nobody relies on it. Otherwise that is taken back, and done once more by ``write(_:)``.
    @discardableResult
    package func writeAsReliedOn<Value: PerhapsReliedOn>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        do {
            return try await writeSoftly { rows, former in
                let value = try body(rows, former)
                guard !value.isReliedOn else { throw ReliedOn() }
                return value
            }
        } catch is ReliedOn { return try await write(body) }
    }

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
