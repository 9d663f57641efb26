import Database

/// What steps of the schema do to rows that are written smaller.
extension AuthenticationSchema {
    /// From this step on receipts are written in their short form, which programs of before do not read. So it waits until none of those runs
    /// (docs/decisions/0068).
    static let shortReceipts = 44

    /// How far rows of before have been brought into the form of today: a server that has none is at the end. And an index less.
    static func smallerRows(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE repacking (
                name TEXT NOT NULL PRIMARY KEY, place \(d.blob), is_over \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """,
            // What leads to a session is of its own nonce: it is found by that when the session goes.
            "DROP INDEX IF EXISTS nonce_session",
            "INSERT INTO repacking (name, is_over) SELECT 'receipts', CASE WHEN EXISTS (SELECT id FROM instance) THEN 0 ELSE 1 END",
        ]
    }
}
