import Database

/// What steps of the schema do to pages.
extension AuthenticationSchema {
    static func pageTables(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE page (
                id \(d.countedKey),
                ticket_hash \(d.blob) UNIQUE,
                cookie_hash \(d.blob) UNIQUE,
                kind TEXT NOT NULL,
                server_id \(d.blob) NOT NULL,
                nonce_hash \(d.blob) NOT NULL,
                name TEXT NOT NULL,
                user_id TEXT,
                return_url TEXT,
                sealed_link \(d.blob),
                expires_at \(d.integer) NOT NULL
            ) \(d.tableOptions)
            """,
            "CREATE INDEX page_expiry ON page (expires_at)",
        ]
    }

    /// Which sites may show login pages of a server in a frame, and whether a page is for one.
    static func frameColumns(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE server ADD COLUMN frame_origins TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE page ADD COLUMN framed \(d.integer) NOT NULL DEFAULT 0",
        ]
    }

    /// Whether the nonce of a page was logged out since; by the index a logout finds the pages of its nonce.
    static func loggedOutColumn(_ d: SQLDialect) -> [String] {
        [
            "ALTER TABLE page ADD COLUMN logged_out \(d.integer) NOT NULL DEFAULT 0",
            "CREATE INDEX page_nonce ON page (nonce_hash)",
        ]
    }

    /// What a login asks, of a session and of its page. What null means is said where it is read.
    static func requestColumns(_ d: SQLDialect) -> [String] {
        ["session", "page"].flatMap { table in
            ["ALTER TABLE \(table) ADD COLUMN demand \(d.integer)", "ALTER TABLE \(table) ADD COLUMN client \(d.blob)"]
        }
    }
}
