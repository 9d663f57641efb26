import Database

/// What steps of the schema do to receipts.
extension AuthenticationSchema {
    /// From this step on receipts are written in their short form, which programs of before do not read. So it waits until none of those runs
    /// (docs/decisions/0068).
    static let shortReceipts = 44

    /// How far rows of before have been brought into the form of today. A server that has none is at the end.
    static func repackingTable(_ d: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE repacking (
                name TEXT NOT NULL PRIMARY KEY, place \(d.blob), is_over \(d.integer) NOT NULL
            ) \(d.keyedTableOptions)
            """,
            "INSERT INTO repacking (name, is_over) SELECT 'receipts', CASE WHEN EXISTS (SELECT id FROM instance) THEN 0 ELSE 1 END",
        ]
    }
}
