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
    package func value(_ column: String) throws -> SQLValue {
        guard let place = columns.places[column] else { throw SQLError.noSuchColumn(column) }
        return values[place]
    }

    /// Whether a column is null.
    package func isNull(_ column: String) throws -> Bool {
        try value(column) == .null
    }
}

/// The column names of a prepared statement, resolved once and shared by all rows of its answers.
final class SQLColumns: Sendable {
    let names: [String]
    /// Of two columns with one name the first counts.
    let places: [String: Int]

    init(names: [String]) {
        self.names = names
        places = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
