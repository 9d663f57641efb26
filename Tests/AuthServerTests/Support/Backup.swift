import Database
import OstiaryTesting

/// A copy of every table but the record of migrations.
struct Backup: Sendable {
    private let tables: [(name: String, columns: [String], rows: [[SQLValue]])]

    init(of database: any Database) async throws {
        tables = try await database.read { connection in
            let all = try connection.query(database.dialect.catalogue.columns)
            return try connection.tables(of: database.dialect).filter { !$0.hasPrefix("schema_") }.map { name in
                let columns = try all.filter { try $0.text("table_name") == name }.map { try $0.text("column_name") }
                return (name, columns, try connection.query("SELECT \(columns.joined(separator: ", ")) FROM \(name)").map(\.values))
            }
        }
    }

    /// Everything since the copy is gone, as after a restore of the file or of a dump.
    func restore(to database: any Database) async throws {
        let tables = tables
        // Rows refer to others that come after them.
        let unchecked = database.dialect == .sqlite ? "PRAGMA defer_foreign_keys = ON" : "SET LOCAL session_replication_role = replica"
        try await database.transaction { connection in
            try connection.execute(unchecked)
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

extension SQLConnection {
    /// The names of all tables, in order.
    func tables(of dialect: SQLDialect) throws -> [String] {
        try Set(query(dialect.catalogue.columns).map { try $0.text("table_name") }).sorted()
    }
}
