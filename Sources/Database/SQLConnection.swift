/// What a body may do: run statements, one after the other, inside the transaction that was begun for it.
///
/// Parameters are written `$1`, `$2` … on every engine and bound by number. Statements are prepared once for each connection and kept,
/// so a statement's text is a constant and values travel as arguments. A connection is used inside its body only.
package protocol SQLConnection: AnyObject {
    /// Runs one statement and answers how many rows it inserted, updated or deleted.
    /// - Throws: ``SQLError``.
    @discardableResult
    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs a change of which only that it is made counts. An engine in another process may send it with what is asked next, or before the
    /// commit at the latest, with others: that saves ways there and back. What is asked later sees it all the same, and if it fails the body is run again, statement by statement.
    /// - Parameter count: how many rows it changes; nil for any number.
    /// - Throws: ``SQLError``, `rowGone` with `table` for another number.
    func write(_ sql: String, _ arguments: [SQLValue], changing count: Int?, of table: String) throws

    /// Runs one statement and answers all rows, which `RETURNING` makes possible for changes too.
    /// - Throws: ``SQLError``.
    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow]
}

extension SQLConnection {
    package func write(_ sql: String, _ arguments: [SQLValue], changing count: Int?, of table: String) throws {
        let changed = try execute(sql, arguments)
        guard count == nil || changed == count else { throw SQLError.rowGone(table: table) }
    }

    /// ``write(_:_:changing:of:)`` of any number of rows.
    package func write(_ sql: String, _ arguments: [SQLValue]) throws { try write(sql, arguments, changing: nil, of: "") }

    /// ``execute(_:_:)`` for a statement without parameters.
    @discardableResult
    package func execute(_ sql: String) throws -> Int {
        try execute(sql, [])
    }

    /// ``query(_:_:)`` for a statement without parameters.
    package func query(_ sql: String) throws -> [SQLRow] {
        try query(sql, [])
    }

    /// The names of all that somebody has made in the database (``SQLCatalogue/objects``).
    package func madeNames(_ dialect: SQLDialect) throws -> Set<String> {
        Set(try query(dialect.catalogue.objects).map { row in try row.text("name") })
    }

    /// The only row of an answer, or nil if there is none.
    /// - Throws: ``SQLError/moreThanOneRow`` for two rows or more, and what a query throws.
    package func one(_ sql: String, _ arguments: [SQLValue] = []) throws -> SQLRow? {
        let rows = try query(sql, arguments)
        guard rows.count <= 1 else { throw SQLError.moreThanOneRow }
        return rows.first
    }
}
