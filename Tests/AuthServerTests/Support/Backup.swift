import Database

/// A copy of every table but the record of migrations.
struct Backup: Sendable {
    private let tables: [(name: String, columns: [String], rows: [[SQLValue]])]

    init(of database: any Database) async throws {
        tables = try await database.read { connection in
            let names = try connection.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%migration%' ORDER BY name"
            ).map { try $0.text("name") }
            return try names.map { name in
                let columns = try connection.query("SELECT name FROM pragma_table_info('\(name)')").map { try $0.text("name") }
                return (name, columns, try connection.query("SELECT \(columns.joined(separator: ", ")) FROM \(name)").map(\.values))
            }
        }
    }

    /// Everything since the copy is gone, as after a restore of the file.
    func restore(to database: any Database) async throws {
        let tables = tables
        try await database.transaction { connection in
            try connection.execute("PRAGMA defer_foreign_keys = ON")
            for table in tables { try connection.execute("DELETE FROM \(table.name)") }
            for table in tables {
                let places = (1...table.columns.count).map { "$\($0)" }.joined(separator: ", ")
                for row in table.rows {
                    try connection.execute("INSERT INTO \(table.name) (\(table.columns.joined(separator: ", "))) VALUES (\(places))", row)
                }
            }
        }
    }
}
