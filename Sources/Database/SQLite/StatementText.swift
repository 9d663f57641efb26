/// The text by which a compiled statement is found again.
///
/// Texts have hundreds of bytes, and mostly it is the very same string again: so they are compared whole, which then looks at no byte of them, and hashed by
/// their length and their end alone.
struct StatementText: Hashable {
    let sql: String

    init(_ sql: String) { self.sql = sql }

    /// Whether it leaves tables and triggers as they are, by its first word. `PRAGMA` is among them because of the checkpoints of the log; what else it
    /// can change is no row.
    var changesRowsOnly: Bool {
        let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.uppercased()
        return ["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH", "SELECT", "BEGIN", "PRAGMA"].contains(word)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(sql.utf8.count)
        // A string that does not lie in one piece is found by its length; ours all do.
        sql.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(16)))
        }
    }
}
