import Authentication
import Database

/// Rows of one transaction that can write into the audit trail.
protocol AuditedRows: AnyObject, SendableMetatype {
    /// What this transaction has written there.
    var recorded: [AuditEntry] { get }
}

extension Database {
    /// A transaction over rows, and what it wrote into the audit trail told once, after its commit.
    func transaction<Rows: AuditedRows, Value: Sendable>(
        over rows: @Sendable @escaping (any SQLConnection) -> Rows, telling audited: @Sendable ([AuditEntry]) -> Void,
        _ body: @Sendable @escaping (Rows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let (value, entries) = try await transaction { connection, former -> (Value, [AuditEntry]) in
            let rows = rows(connection)
            let value = try body(rows, former?.0)
            // A body that finds what it did writes nothing down a second time.
            return (value, rows.recorded.isEmpty ? former?.1 ?? [] : rows.recorded)
        }
        if !entries.isEmpty { audited(entries) }
        return value
    }
}
