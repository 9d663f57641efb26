import Database

/// A database that runs every body twice, as an engine does that had to give up the first run, and tells when the second did or answered something else.
///
/// What the first run changed is taken back. So a body with an effect beside its connection has it twice; and the statements of both runs are compared
/// with their arguments, so that a value which is drawn inside a body is found wherever it is written or asked for.
package final class RerunningDatabase: Database {
    private let base: any Database
    private let report: @Sendable (RerunDifference) -> Void

    /// - Parameter report: told of each difference, in the task of the caller whose body it was.
    package init(_ base: any Database, report: @Sendable @escaping (RerunDifference) -> Void) {
        self.base = base
        self.report = report
    }

    package var dialect: SQLDialect { base.dialect }
    package var isShared: Bool { base.isShared }
    package var announcements: (any Announcements)? { base.announcements }
    package func rows(_ sql: String, _ arguments: [SQLValue]) async throws -> [SQLRow] { try await base.rows(sql, arguments) }
    package var readsAtOnce: Bool { base.readsAtOnce }
    package func rowsAtOnce(_ sql: String, _ arguments: [SQLValue]) -> [SQLRow]? { base.rowsAtOnce(sql, arguments) }
    package func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws -> Bool { try await base.watch(rows, by: watcher) }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        let runs = TwoRuns(of: body)
        defer { tell(runs.difference) }
        return try await base.read { try runs.run(on: $0) }
    }

    @discardableResult
    package func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await transaction(.hard, body)
    }

    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let runs = TwoRuns(of: body)
        defer { tell(runs.difference) }
        return try await base.transaction(durability) { try runs.runTakingBack(on: $0) }
    }

    private func tell(_ difference: RerunDifference?) {
        if let difference { report(difference) }
    }

    package func purge() async throws { try await base.purge() }
    package func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    package func checkInPlace() async throws { try await base.checkInPlace() }
    package func checkStandby() async throws { try await base.checkStandby() }
    package var refusal: String? { base.refusal }
    package func close() async throws { try await base.close() }
}

/// How the second run of a body differs from the first. No case carries a value of the data.
package enum RerunDifference: Error, Equatable, Sendable {
    /// Another statement, or none; nil where that run had ended.
    case statement(first: String?, second: String?)
    /// The same statement with another value, counted from 1.
    case argument(Int, of: String)
    /// One run threw, or both threw something else.
    case error(first: String, second: String)
    /// The same statements, and another answer, of this type.
    case answer(String)
}

extension RerunDifference: CustomStringConvertible {
    package var description: String {
        switch self {
        case .statement(let first, let second):
            "a body ran another statement the second time: first \(first ?? "none"), then \(second ?? "none")"
        case .argument(let number, let statement): "a body that ran twice gave another value for $\(number) of: \(statement)"
        case .error(let first, let second): "a body ended otherwise the second time: first with \(first), then with \(second)"
        case .answer(let type): "a body that ran twice gave two answers of type \(type)"
        }
    }
}
