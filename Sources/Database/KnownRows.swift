/// The rows of one table that a transaction has read or written, as they are in it now: what was asked once is asked no more, and what is saved is
/// written where it differs. It is as much one thread's as the connection beside it.
package final class KnownRows<ID: Hashable, Value> {
    private enum Entry {
        case row(Value)
        /// It was looked for, or removed.
        case missing
    }

    private var entries: [ID: Entry] = [:]

    package init() {}

    /// The row, looked for only if this transaction has not met it.
    package func row(_ id: ID, orFind find: () throws -> Value?) rethrows -> Value? {
        switch entries[id] {
        case .row(let value): return value
        case .missing: return nil
        case nil:
            let found = try find()
            note(found, as: id)
            return found
        }
    }

    /// The row as it is now, if this transaction knows it.
    private func former(_ id: ID) -> Value? {
        if case .row(let value)? = entries[id] { value } else { nil }
    }

    /// Writes the row where it differs from what is known of it, and whole where nothing is.
    /// - Parameter values: one for each column of the table.
    package func save(_ value: Value, as id: ID, in table: SQLTable, on connection: any SQLConnection, values: (Value) throws -> [SQLValue]) throws {
        try table.save(try values(value), over: try former(id).map(values), on: connection)
        note(value, as: id)
    }

    package func note(_ value: Value?, as id: ID) { entries[id] = value.map(Entry.row) ?? .missing }

    /// After a statement that changed rows without naming them.
    package func forget() { entries = [:] }
}
