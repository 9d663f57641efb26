/// The rows of one table that a transaction has read or written, as they are in it now: what was asked once is asked no more, and what is saved is
/// written where it differs. It is as much one thread's as the connection beside it.
///
/// `public` and inlinable, for the targets of this package: only so does the compiler make a version of it for each type of row there. What is made for
/// every type costs two and a half times as much, and that was one part in sixty of an enrolment.
public final class KnownRows<ID: Hashable, Value> {
    @usableFromInline
    enum Entry {
        case row(Value)
        /// It was looked for, or removed.
        case missing
    }

    @usableFromInline
    var entries: [ID: Entry] = [:]

    @inlinable
    public init() {}

    /// The row, looked for only if this transaction has not met it.
    @inlinable
    public func row(_ id: ID, orFind find: () throws -> Value?) rethrows -> Value? {
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
    @inlinable
    func former(_ id: ID) -> Value? {
        if case .row(let value)? = entries[id] { value } else { nil }
    }

    /// Writes the row where it differs from what is known of it, and whole where nothing is.
    /// - Parameters:
    ///   - values: one for each column of the table.
    ///   - write: puts values in the place of the former ones, where those are known: ``SQLTable/saver(on:)``.
    @inlinable
    public func save<Column>(
        _ value: Value, as id: ID, values: (Value) throws -> [Column], by write: (_ values: [Column], _ former: [Column]?) throws -> Void
    ) rethrows {
        try write(try values(value), try former(id).map(values))
        note(value, as: id)
    }

    @inlinable
    public func note(_ value: Value?, as id: ID) { entries[id] = value.map(Entry.row) ?? .missing }

    /// After a statement that changed rows without naming them.
    @inlinable
    public func forget() { entries = [:] }
}
