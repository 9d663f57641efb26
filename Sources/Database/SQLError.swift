/// Why a statement, a row or a transaction failed. No case carries a value of the data.
package enum SQLError: Error, Equatable, Sendable {
    /// The database was closed.
    case closed
    /// A row with the same key is there already; the detail names the index or the columns.
    case uniqueViolation(String)
    /// A row that is referred to is missing, or one that goes is still referred to.
    case foreignKeyViolation
    /// A CHECK, NOT NULL or column type was not kept; the detail names it.
    case checkViolation(String)
    /// A read body tried to change something.
    case readOnly
    /// The number of arguments differs from the number of parameters in the statement.
    case argumentCount(expected: Int, found: Int)
    /// More rows than the one that was asked for.
    case moreThanOneRow
    /// A row of this table that was read and is to be changed is not there any more: what removed it did not say so.
    case rowGone(table: String)
    /// The answer has no column of that name.
    case noSuchColumn(String)
    /// The column holds another kind of value.
    case wrongKind(column: String, expected: SQLKind, found: SQLKind)
    /// The column holds a number that the asked type cannot.
    case outOfRange(String)
    /// Another process kept the database locked for longer than the busy timeout, or it took too long.
    case busy
    /// Others changed the same rows at the same time, and were in the way each time that the transaction was begun again: nothing of it is kept, and nobody
    /// holds anything for longer.
    case collided
    /// The transaction ended before its commit (disk full, or a body that ended it itself); nothing of it remains.
    case transactionLost
    /// The connection was lost at COMMIT: the transaction is kept or gone, and this call cannot know which. Whoever asked looks again.
    case outcomeUnknown
    /// The server is at commits that were begun before, by whomever, and answers none: nothing more was begun. Whoever looks again hears it of a commit
    /// of its own, which may be kept. With the names of the synchronous standbys for which they wait; nil where they wait for something else.
    case commitsUnanswered(standbys: String?)
    /// The engine cannot be reached: nothing was begun.
    case unavailable
    /// The file system of the database has no room left.
    case diskFull(path: String)
    /// The system refuses to read or write the file: the quota of its owner is used up, the file system became read-only, the disk fails.
    case diskFails(path: String, reason: String)
    /// The system lets nobody write beside the database file.
    case cannotWrite(path: String, reason: String)
    /// The engine has no memory left for what it was asked.
    case noMemory(path: String, reason: String)
    /// The role of this program has not the right to do what it was asked.
    case notAllowed(path: String, reason: String)
    /// A table of ours is not there, beneath a program that has seen it, or at a start. Which one, or which ones, is said only where the catalogue was asked for
    /// them: of whatever else meets it the words are the same for each, so that all of them are one thing that is told once, and PostgreSQL's own log has the name.
    case tableMissing(path: String, name: String? = nil)
    /// A primary key or a unique index of ours is not there, beneath a program that has seen it. What is lacking is said only where the catalogue was asked, in
    /// words (``SchemaIndexes/lacking(in:)``): the statement that meets it is not told which.
    case indexMissing(path: String, lacking: [String] = [])
    /// The file was found damaged while it was open.
    case damaged(path: String, reason: String)
    /// Another file took the place of one that is open, or it was removed.
    case replaced(path: String)
    /// Anything else: the engine's own code and message, for the log.
    case fault(code: Int, message: String)
}

extension SQLError {
    /// Whether a fault passes by itself or by an operator's hand, without a change of the program: the disk takes nothing or fails, another process
    /// holds the database, it was lost, or its file is damaged. The same can be asked again.
    package static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case SQLError.diskFull, SQLError.diskFails, SQLError.cannotWrite, SQLError.busy, SQLError.collided, SQLError.unavailable,
            SQLError.outcomeUnknown, SQLError.commitsUnanswered, SQLError.damaged, SQLError.noMemory, SQLError.notAllowed,
            SQLError.tableMissing, SQLError.indexMissing, is Unreachable:
            true
        default: false
        }
    }
}
