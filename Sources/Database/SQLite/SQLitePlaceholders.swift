/// Our `$1` as SQLite's `?1`: SQLite itself would take `$1` for a name and count in the order of appearance.
/// Quoted text and comments are left as they are.
func sqlitePlaceholders(_ sql: String) -> String { SQLText(sql).markingParameters(with: UInt8(ascii: "?")) }
