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
    /// Another process kept the database locked for longer than the busy timeout; or others were in the way of each run of a transaction, or it took too long.
    case busy
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
    /// A table of ours is not there, beneath a program that has seen it. Which one is said only where the catalogue was asked for them: of whatever else meets
    /// it the words are the same for each, so that all of them are one thing that is told once, and PostgreSQL's own log has the name.
    case tableMissing(path: String, name: String? = nil)
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
        case SQLError.diskFull, SQLError.diskFails, SQLError.cannotWrite, SQLError.busy, SQLError.unavailable, SQLError.outcomeUnknown,
            SQLError.commitsUnanswered, SQLError.damaged, SQLError.noMemory, SQLError.notAllowed,
            SQLError.tableMissing, is Unreachable:
            true
        default: false
        }
    }
}

extension SQLError: CustomStringConvertible {
    /// One line for the log.
    package var description: String {
        switch self {
        case .closed: "the database is closed"
        case .uniqueViolation(let detail): "a row with this key exists already (\(detail))"
        case .foreignKeyViolation: "a reference between rows would be broken"
        case .checkViolation(let detail): "a constraint was not kept (\(detail))"
        case .readOnly: "a read tried to change the database"
        case .argumentCount(let expected, let found): "the statement takes \(expected) arguments, not \(found)"
        case .moreThanOneRow: "one row was expected, more were found"
        case .rowGone(let table): "a row of \(table) that was to be changed is gone"
        case .noSuchColumn(let column): "the answer has no column \(column)"
        case .wrongKind(let column, let expected, let found): "column \(column) holds \(found.rawValue), not \(expected.rawValue)"
        case .outOfRange(let column): "the number in column \(column) is out of range"
        case .busy:
            "the database is locked by another process, or too busy: end what holds it (a file: a sqlite3 or a copy perhaps; of PostgreSQL pg_locks and "
                + "pg_stat_activity show which session holds a table, a prompt or pg_dump perhaps); a server that runs goes on by itself"
        case .transactionLost: "the transaction ended before its commit"
        case .outcomeUnknown: "the connection to the database was lost at a commit, and nobody knows whether it was kept"
        case .commitsUnanswered(let standbys?):
            "commits are not answered: is the synchronous standby there? They wait for it (synchronous_standby_names is \(standbys)). SHOW "
                + "synchronous_standby_names says who is awaited, SELECT * FROM pg_stat_replication who is there; a server that runs goes on by itself"
        case .commitsUnanswered(nil):
            "commits are not answered, and wait for no standby: look at disk and log of the database's server; a server that runs goes on by itself"
        case .unavailable: "the database cannot be reached: a server that runs goes on by itself when it can"
        case .diskFull(let path): "the disk of \(path) is full: free some space there; a server that runs goes on by itself"
        case .diskFails(let path, let reason):
            "the system refuses to read or write \(path) (\(reason)): look at its log, at quota, limit of file size, disk and mount; a server that runs "
                + "goes on by itself"
        case .cannotWrite(let path, let reason): "cannot write beside \(path) (\(reason)): check the file system and its mode"
        case .noMemory(let path, let reason):
            "the server of the database \(path) has no memory left (\(reason)): of shared memory raise max_locks_per_transaction, of other give it more or "
                + "fewer connections; a server that runs goes on by itself"
        case .notAllowed(let path, let reason):
            "the role of this program has not the right in the database \(path) (\(reason)): make it the owner of all that this program made there, and "
                + "GRANT USAGE, CREATE ON SCHEMA public (or that of its search_path) TO it; a server that runs goes on by itself"
        case .tableMissing(let path, let name):
            "a table of this server is not there in the database \(path)\(name.map { " (\($0))" } ?? ""), which was made anew or restored beneath the server "
                + "(or search_path leads to another schema): stop the server, restore a backup, start it again"
        case .damaged(let path, let reason):
            "the database \(path) is damaged (\(reason)): stop the server, restore a backup, start it again"
        case .replaced(let path):
            "\(path) was replaced or removed while this server has it open, and what it acknowledges is lost with it: stop the server, put the right "
                + "files in their place, start it again"
        case .fault(let code, let message): "database fault \(code): \(message)"
        }
    }
}
