/// One row of an answer. Columns are asked for by name and type; a column that is missing or holds something else is an error, never a default.
package struct SQLRow: Sendable {
    private let columns: SQLColumns
    /// The values in the order of the columns.
    package let values: [SQLValue]

    init(columns: SQLColumns, values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// The names of the columns in order.
    package var columnNames: [String] { columns.names }

    /// The value of a column, whatever its kind.
    /// - Throws: ``SQLError/noSuchColumn(_:)``.
    package func value(_ column: StaticString) throws -> SQLValue {
        guard let place = columns.place(of: column) else { throw SQLError.noSuchColumn(column.description) }
        return values[place]
    }

    /// Whether a column is null.
    package func isNull(_ column: StaticString) throws -> Bool {
        try value(column) == .null
    }
}
