import Database

/// Tables whose rows stand in the index of their key and nowhere else (docs/decisions/0039).
extension AuthenticationSchema {
    /// Rows well under a twentieth of a page, in tables that no row of another refers to: dropping one of those would empty whatever hangs on it.
    static func keyedTables(_ d: SQLDialect) -> [String] {
        [
            d.rebuilt(
                "pin_change",
                """
                instance \(d.blob) NOT NULL PRIMARY KEY REFERENCES instance (id) ON DELETE CASCADE, attempt \(d.blob) NOT NULL,
                account \(d.blob) NOT NULL, methods \(d.integer) NOT NULL, verified_at \(d.integer) NOT NULL, epoch \(d.integer) NOT NULL,
                share \(d.blob) NOT NULL, set_attempt \(d.blob), set_epoch \(d.integer), set_made_at \(d.integer)
                """),
            d.rebuilt(
                "pending_close",
                """
                instance \(d.blob) NOT NULL PRIMARY KEY, server \(d.blob) NOT NULL, since \(d.integer) NOT NULL, attempts \(d.integer) NOT NULL,
                due_at \(d.integer) NOT NULL
                """),
            d.rebuilt(
                "oauth_family",
                """
                grant_id \(d.blob) NOT NULL PRIMARY KEY REFERENCES oauth_grant (id) ON DELETE CASCADE, server \(d.blob) NOT NULL,
                client TEXT NOT NULL, bound_to \(d.integer) NOT NULL, bound_key \(d.blob), absolute \(d.integer), idle \(d.integer),
                created_at \(d.integer) NOT NULL, generation \(d.integer) NOT NULL, renewed_at \(d.integer) NOT NULL,
                used_at \(d.integer) NOT NULL
                """),
            d.rebuilt(
                "oauth_user",
                """
                server \(d.blob) NOT NULL, user_id TEXT NOT NULL, name TEXT, picture TEXT, email TEXT, email_verified \(d.integer) NOT NULL,
                roles TEXT NOT NULL, PRIMARY KEY (server, user_id)
                """),
        ].flatMap { $0 }
    }
}
