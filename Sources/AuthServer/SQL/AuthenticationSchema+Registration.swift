import Database

/// The tables of clients that register themselves (docs/decisions/0031).
extension AuthenticationSchema {
    static func registrationTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_registration (
                server \(d.blob) NOT NULL PRIMARY KEY, mode TEXT NOT NULL, apis TEXT NOT NULL, most \(d.integer) NOT NULL,
                unused_days \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """,
            """
            CREATE TABLE oauth_initial_token (
                server \(d.blob) NOT NULL, hash \(d.blob) NOT NULL, expires_at \(d.integer) NOT NULL, uses_left \(d.integer) NOT NULL,
                PRIMARY KEY (server, hash)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_initial_token_expiry ON oauth_initial_token (expires_at)",
            """
            CREATE TABLE oauth_registered (
                server \(d.blob) NOT NULL, client TEXT NOT NULL, used_at \(d.integer) NOT NULL, PRIMARY KEY (server, client)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_registered_use ON oauth_registered (used_at)",
        ]
    }
}
