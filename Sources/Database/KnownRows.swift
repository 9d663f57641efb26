/// The rows of one table that a transaction has read or written, as they are in it now: what was asked once is asked no more, and what is saved is
/// written where it differs.
package struct KnownRows<ID: Hashable, Value> {
    package enum Entry {
        case row(Value)
        /// It was looked for, or removed.
        case missing
    }

    private var entries: [ID: Entry] = [:]

    package init() {}

    /// Nil for a row that this transaction has not met.
    package subscript(id: ID) -> Entry? { entries[id] }

    /// The row as it is now, if this transaction knows it.
    package func former(_ id: ID) -> Value? {
        if case .row(let value)? = entries[id] { value } else { nil }
    }

    package mutating func note(_ value: Value?, as id: ID) { entries[id] = value.map(Entry.row) ?? .missing }

    /// After a statement that changed rows without naming them.
    package mutating func forget() { entries = [:] }
}

extension KnownRows.Entry {
    package var value: Value? {
        switch self {
        case .row(let value): value
        case .missing: nil
        }
    }
}
