import Database

/// All rows of one table, as they are in the file.
struct TableRows: Sendable {
    private let rows: [[String: SQLValue]]

    var count: Int { rows.count }

    /// None is known of an empty table.
    var columns: Set<String> { Set(rows.first.map { Array($0.keys) } ?? []) }

    /// How often there is each row, looking at these columns only.
    func counted(by columns: Set<String>) -> [[String: SQLValue]: Int] {
        rows.reduce(into: [:]) { counts, row in counts[row.filter { columns.contains($0.key) }, default: 0] += 1 }
    }

    /// Every table of the database in a file that no server holds, by name.
    static func all(in path: String) async throws -> [String: TableRows] {
        let database = try SQLiteDatabase.open(path: path)
        let tables = try await database.read { connection -> [String: TableRows] in
            var tables: [String: TableRows] = [:]
            for row in try connection.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") {
                let name = try row.text("name")
                let rows = try connection.query("SELECT * FROM \(name)")
                tables[name] = TableRows(rows: rows.map { Dictionary(uniqueKeysWithValues: zip($0.columnNames, $0.values)) })
            }
            return tables
        }
        try await database.close()
        return tables
    }
}
