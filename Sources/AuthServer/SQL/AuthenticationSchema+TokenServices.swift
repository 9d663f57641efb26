import Database

/// The services behind virtual servers that give tokens (docs/decisions/0043).
extension AuthenticationSchema {
    static func tokenServices(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE token_service (
                server \(d.blob) NOT NULL PRIMARY KEY REFERENCES server (id), address TEXT NOT NULL, secret \(d.blob) NOT NULL,
                patience \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """
        ]
    }
}
