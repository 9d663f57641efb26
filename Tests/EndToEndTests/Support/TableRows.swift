import Database

/// All rows of one table, as they are in the database.
struct TableRows: Sendable {
    private let rows: [[String: SQLValue]]

    var count: Int { rows.count }

    /// None is known of an empty table.
    var columns: Set<String> { Set(rows.first.map { Array($0.keys) } ?? []) }

    /// How often there is each row, looking at these columns only.
    func counted(by columns: Set<String>) -> [[String: SQLValue]: Int] {
        rows.reduce(into: [:]) { counts, row in counts[row.filter { columns.contains($0.key) }, default: 0] += 1 }
    }

    /// Whether another table has the same rows, each as often.
    func isSame(as other: TableRows) -> Bool { columns == other.columns && counted(by: columns) == other.counted(by: columns) }

    /// Every table of the database in a file that no server holds, by name.
    static func all(in path: String) async throws -> [String: TableRows] {
        let database = try SQLiteDatabase.open(path: path)
        let tables = try await all(of: database)
        try await database.close()
        return tables
    }

    /// Every table of a database of either engine, by name.
    static func all(of database: any Database) async throws -> [String: TableRows] {
        let question = database.dialect.catalogue.columns
        return try await database.read { connection -> [String: TableRows] in
            var tables: [String: TableRows] = [:]
            for name in Set(try connection.query(question).map { try $0.text("table_name") }) {
                let rows = try connection.query("SELECT * FROM \"\(name)\"")
                tables[name] = TableRows(rows: rows.map { Dictionary(uniqueKeysWithValues: zip($0.columnNames, $0.values)) })
            }
            return tables
        }
    }
}
