import Database

/// What is counted of offline codes (docs/decisions/0042).
extension AuthenticationSchema {
    /// Tries of a session stand in its row, those of a reference and of a virtual server in rows of their own: a reference need not be anybody's. How many of
    /// the former there are is bounded by the latter, and each goes a day after its last try, or when its reference may name somebody again.
    static func offlineCodes(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE session ADD COLUMN codes_tried \(d.integer) NOT NULL DEFAULT 0",
            "ALTER TABLE session ADD COLUMN offline \(d.integer) NOT NULL DEFAULT 0",
            """
            CREATE TABLE offline_tries (
                server \(d.blob) NOT NULL, reference \(d.integer) NOT NULL, moments \(d.blob) NOT NULL, reserved_until \(d.integer),
                last_moment \(d.integer) NOT NULL, PRIMARY KEY (server, reference)
            ) \(d.keyedTableOptions)
            """,
            "CREATE INDEX offline_tries_over ON offline_tries (last_moment)",
            """
            CREATE TABLE offline_failures (
                server \(d.blob) NOT NULL PRIMARY KEY, since \(d.integer) NOT NULL, count \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """,
        ]
    }
}
