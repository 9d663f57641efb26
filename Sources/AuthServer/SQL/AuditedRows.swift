import Authentication
import Database
import Synchronization

/// Rows of one transaction that can write into the audit trail.
protocol AuditedRows: AnyObject, SendableMetatype {
    /// What this transaction has written there.
    var recorded: [RecordedEntry] { get }

    /// Writes what a body leaves to its end.
    func finish() throws
}

extension AuditedRows {
    func finish() throws {}
}

/// An entry of the audit trail, and its row.
struct RecordedEntry: Sendable {
    let entry: AuditEntry
    let position: Int64
}

extension Database {
    /// A transaction over rows, and what it wrote into the audit trail told after its commit, each entry once. Where nobody knows whether it was committed,
    /// the rows of the trail say: a body that looks again may find other work than it did, a housekeeping batch for example, and has both told.
    func transaction<Rows: AuditedRows, Value: Sendable>(
        _ durability: Durability, over rows: @Sendable @escaping (any SQLConnection) -> Rows, telling audited: @Sendable ([AuditEntry]) -> Void,
        _ body: @Sendable @escaping (Rows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let written = WrittenEntries()
        do {
            let (value, entries) = try await transaction(durability) { connection, former -> (Value, [RecordedEntry]) in
                let rows = rows(connection)
                if let former { written.look(former.1) }
                let kept = try former?.1.filter { try AuditColumns.isThere($0, on: connection) } ?? []
                let value = try body(rows, former?.0)
                try rows.finish()
                written.note(rows.recorded)
                return (value, kept + rows.recorded)
            }
            if !entries.isEmpty { audited(entries.map(\.entry)) }
            return value
        } catch {
            // The caller hears of the fault; what is there of either look nobody would tell later.
            if let unsure = written.unsure(after: error),
                let there = try? await read({ connection in try unsure.filter { try AuditColumns.isThere($0, on: connection) } }), !there.isEmpty
            {
                audited(there.map(\.entry))
            }
            throw error
        }
    }
}

/// What the looks of a transaction wrote, for one that ends in a fault.
private final class WrittenEntries: Sendable {
    private struct State {
        /// Of a first look of which nobody heard.
        var former: [RecordedEntry] = []
        /// Of the last look.
        var last: [RecordedEntry] = []
    }

    private let state = Mutex(State())

    /// The transaction looks again.
    func look(_ former: [RecordedEntry]) {
        state.withLock { state in
            state.former = former
            state.last = []
        }
    }

    /// A body may run twice in one look: what it wrote first was taken back.
    func note(_ recorded: [RecordedEntry]) { state.withLock { $0.last = recorded } }

    /// What may have been kept although the transaction ended in this fault; nil for nothing.
    func unsure(after fault: any Error) -> [RecordedEntry]? {
        let (former, last) = state.withLock { ($0.former, $0.last) }
        let isLastUnsure =
            switch fault {
            // The second look, which would have said that there was a first, was refused (``Database/transaction(_:_:)``).
            case SQLError.outcomeUnknown, SQLError.commitsUnanswered: true
            default: false
            }
        let all = isLastUnsure ? former + last : former
        return all.isEmpty ? nil : all
    }
}
