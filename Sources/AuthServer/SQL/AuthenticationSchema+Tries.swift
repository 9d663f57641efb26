import Database

/// What is counted of places (docs/decisions/0050).
extension AuthenticationSchema {
    /// A row for each place, network and proxy that tried something within the time for which that counts, and a moment more until housekeeping comes.
    static func tryTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE oauth_tries (
                kind TEXT NOT NULL, level \(d.integer) NOT NULL, name TEXT NOT NULL, tries \(d.blob) NOT NULL, until \(d.integer) NOT NULL,
                PRIMARY KEY (kind, level, name)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX oauth_tries_over ON oauth_tries (until)",
        ]
    }
}
