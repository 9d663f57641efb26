/// Rows of one table whose changes somebody wants to hear of.
package struct WatchedRows: Hashable, Sendable {
    package let table: String
    /// The column of bytes, never null, whose value names a row to whoever watches. Several rows may have one name.
    package let column: String

    package init(_ table: String, named column: String) {
        self.table = table
        self.column = column
    }
}

/// Hears of every change of the rows that it watches, early enough that it may answer out of memory what it has read of them.
///
/// It is called on the thread of whoever writes, inside the transaction: so it is quick, waits for nobody, and asks the database nothing.
package protocol RowWatcher: AnyObject, Sendable {
    /// A transaction that has not ended writes this row. Until it has, a reader finds the row as it was or as it will be, and nobody can say which. A row that
    /// is renamed is named by both names.
    func rowChanges(_ name: [UInt8], in table: String)

    /// The transaction has ended: its changes are there, or none is. Nobody has been told what became of it.
    func changesEnded()

    /// From now on changes may go unheard: what is in memory counts for nothing any more.
    func watchEnded()
}
