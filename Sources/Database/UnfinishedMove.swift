/// The mark of a database that is the target of a move which has not come to its end: tables of its own, made before any other and dropped with the end.
/// No server opens a database that has them.
enum UnfinishedMove {
    /// One row: `source` in words, `identity` of what is moved, and whether the tables `is_prepared`.
    static let table = "unfinished_move"
    /// A row for each table that is moved: how far it is.
    static let progressTable = "unfinished_move_table"

    /// Where the rows come from, as `source`.
    static let question = "SELECT source FROM \(table)"
}
