extension SQLError: OperatorFault {
    package var trouble: String {
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
        case .busy: "the database is locked by another process, or too busy"
        case .collided: "busy: transactions collided at the same rows, also when they were begun again"
        case .transactionLost: "the transaction ended before its commit"
        case .outcomeUnknown: "the connection to the database was lost at a commit, and nobody knows whether it was kept"
        case .commitsUnanswered(.some): "commits are not answered"
        case .commitsUnanswered(nil): "commits are not answered, and wait for no standby"
        case .unavailable: "the database cannot be reached"
        case .diskFull(let path): "the disk of \(path) is full"
        case .diskFails(let path, let reason): "the system refuses to read or write \(path) (\(reason))"
        case .cannotWrite(let path, let reason): "cannot write beside \(path) (\(reason))"
        case .noMemory(let path, let reason): "the server of the database \(path) has no memory left (\(reason))"
        case .notAllowed(let path, let reason): "the role of this program has not the right in the database \(path) (\(reason))"
        case .tableMissing(let path, let name):
            "a table of this server is not there in the database \(path)\(name.map { " (\($0))" } ?? ""), which was made anew or restored beneath the server "
                + "(or somebody has renamed it or its schema, or search_path leads to another schema: then mend that alone)"
        case .indexMissing(let path, let lacking):
            "the database \(path) "
                + SchemaIndexes.troubleLacking(lacking.isEmpty ? ["a key or a unique index; readiness, under disk, has its name"] : lacking)
        case .damaged(let path, let reason): "the database \(path) is damaged (\(reason))"
        case .replaced(let path): "\(path) was replaced or removed while this server has it open, and what it acknowledges is lost with it"
        case .fault(let code, let message): "database fault \(code): \(message)"
        }
    }

    package var remedy: FaultRemedy? {
        switch self {
        case .busy:
            .mend(
                "end what holds it (a file: a sqlite3 or a copy perhaps; of PostgreSQL pg_locks and pg_stat_activity show which session holds a table, a "
                    + "prompt or pg_dump perhaps)")
        case .collided:
            .mend(
                "ask again: those in whose way it was are done, mostly; where it comes often, pg_locks shows who waits for whom, PostgreSQL's log has the "
                    + "statements of each deadlock, and pg_stat_database counts them")
        case .commitsUnanswered(let standbys?):
            .mend(
                "is the synchronous standby there? They wait for it (synchronous_standby_names is \(standbys)). SHOW synchronous_standby_names says who is "
                    + "awaited, SELECT * FROM pg_stat_replication who is there. If that standby was promoted, change nothing here: stop this server, which "
                    + "others have left")
        case .commitsUnanswered(nil): .mend("look at disk and log of the database's server")
        case .unavailable: .wait
        case .diskFull: .mend("free some space there")
        case .diskFails: .mend("look at its log, at quota, limit of file size, disk and mount")
        case .cannotWrite: .look("check the file system and its mode")
        case .noMemory: .mend("of shared memory raise max_locks_per_transaction, of other give it more or fewer connections")
        case .notAllowed(_, let reason):
            .mend(
                "is the user of the database URL the one that this server has run with? Else name that one there; if so, make it the owner again of all that "
                    + "this server made there, and GRANT USAGE, CREATE ON SCHEMA \(Self.schema(in: reason)) TO it")
        case .indexMissing: .mend(SchemaIndexes.remedy)
        case .tableMissing, .damaged: .stop("restore a backup")
        case .replaced: .stop("put the right files in their place")
        default: nil
        }
    }

    /// How it begins that the role may not use a schema, whose name follows.
    static let lackOfUsage = "it lacks USAGE on the schema "

    /// The schema of which a right is lacking, as a statement writes it. PostgreSQL has a sentence of its own, in English where it speaks that.
    private static func schema(in reason: String) -> String {
        for beginning in [lackOfUsage, "permission denied for schema "] where reason.hasPrefix(beginning) {
            let name = String(reason.dropFirst(beginning.count))
            return name == "public" ? name : TableKeys.quoted(name)
        }
        return "public (or that of its search_path)"
    }
}
