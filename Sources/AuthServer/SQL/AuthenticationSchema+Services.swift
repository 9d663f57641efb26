import Database

/// The services behind virtual servers.
extension AuthenticationSchema {
    static func tokenServices(_ d: SQLDialect) -> [String] { serviceTable("token_service", d) }
    static func dataServices(_ d: SQLDialect) -> [String] { serviceTable("data_service", d) }

    /// One kind has a table (docs/decisions/0043, 0044).
    private static func serviceTable(_ name: String, _ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE \(name) (
                server \(d.blob) NOT NULL PRIMARY KEY REFERENCES server (id), address TEXT NOT NULL, secret \(d.blob) NOT NULL,
                patience \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """
        ]
    }
}
