/// Why a database cannot be used by this program. Each is told to the operator as one line.
package enum DatabaseOpenError: Error, Equatable, Sendable {
    case cannotOpen(path: String, reason: String)
    /// A server has the file, by the lock that one takes for as long as it lives.
    case lockedByAnotherProcess(path: String)
    /// Somebody holds the file beneath whoever opens it, by a lock of SQLite's. A command beside a server shares the file with that; others want it alone.
    case heldByAnotherProcess(path: String, besideServer: Bool)
    /// A move has the file open.
    case beingMoved(path: String)
    /// A server has the file, and its log lies beside another name of it.
    case inUseByAnotherName(path: String)
    /// Others can read the file, and it is not ours to close to them.
    case openToOthers(path: String)
    case corrupt(path: String, reason: String)
    /// The file is there, and no table is in it.
    case empty(path: String)
    /// It holds what somebody has made, and no table that this program makes first.
    case notOurs(path: String)
    /// The database is the target of a move that has not come to its end; where its rows come from, and which it is, as URLs. The second is nil where whoever
    /// found it knows none.
    case unfinishedMove(path: String, source: String, target: String? = nil)
    /// The database holds nothing, and is the target of a move that was ended before its first table.
    case unbegunMove(path: String)
    /// A move has taken its rows to another database; the URL of that, nil where it cannot be read, and how it is known.
    case movedAway(path: String, target: String?, mark: MovedMark)
    /// The database was migrated by a newer program, and this one cannot go on with that; the version is the number of its last migration.
    case newerThanProgram(version: Int)
    /// The database wants migrating, and a server has it open, of an older program presumably: it knows the tables that are there. Version 0 for one that
    /// holds nothing yet.
    case olderBesideServer(version: Int)
    /// Others have the database open that presumably cannot go on with a step: programs of the version that is there.
    case olderPrograms(version: Int, step: Int)
    /// Something holds a table for longer than a step waits: a copy that is being made, or somebody at a prompt.
    case stepBlocked(number: Int)
    /// What the steps of the schema have made and the database has not, in words: its name, and behind a colon the statement that makes it.
    case missingIndexes([String])
    /// The database holds another migration under this number: it belongs to another program.
    case foreignMigration(number: Int, expected: String, found: String)
}

/// How a database says that a move has taken its rows away.
package enum MovedMark: Equatable, Sendable {
    /// By a file beside it.
    case file(String)
    /// By one that cannot be read, so that it is not known where to.
    case unreadFile(String, reason: String)
    /// By a comment on the table of its steps.
    case comment

    var words: String {
        switch self {
        case .file(let path): path
        case .unreadFile(let path, let reason): "\(path), which cannot be read: \(reason)"
        case .comment: "a comment on its table schema_version"
        }
    }

    /// What an operator does to have a server start there on purpose.
    var removal: String {
        switch self {
        case .file(let path), .unreadFile(let path, _): "remove \(path)"
        case .comment: "run COMMENT ON TABLE schema_version IS NULL there"
        }
    }
}

extension DatabaseOpenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "cannot open the database \(path): \(reason)"
        case .lockedByAnotherProcess(let path): "the database \(path) is used by another process: stop that server first, or name another file"
        case .heldByAnotherProcess(let path, let besideServer):
            "another process holds the database \(path): end what holds it "
                + (besideServer
                    ? "(a sqlite3 or a copy perhaps; no server has to be stopped), then run this again"
                    : "(a server or a command of this program, a sqlite3 or a copy perhaps), then try again")
        case .beingMoved(let path): "ostiary admin move-database runs and has the database \(path) open: let it come to its end"
        case .inUseByAnotherName(let path):
            "the database \(path) is in use under another name: give the path that the server was started with (if that is the path, its lock file was "
                + "removed: stop that server first)"
        case .openToOthers(let path): "others can read the database file \(path): run chmod 600 \(shellWord(path)) as its owner"
        case .corrupt(let path, let reason): "the database \(path) is damaged (\(reason)): restore a backup"
        case .empty(let path): "the database \(path) holds no tables: put the database back"
        case .notOurs(let path):
            "\(path) is not a database of this program (what is in it, tables or views or functions, others have made), and was left as it is: name the "
                + "database of this server, or put it back"
        case .unfinishedMove(let path, let source, let target):
            "the database \(path) is the target of a move that has not come to its end: finish it \(Self.finishing(from: source, to: target)), or remove it "
                + "and take the old one"
        case .unbegunMove(let path):
            "a move to the database \(path) was ended before its first table: run the same ostiary admin move-database again; or, to give it up, remove "
                + "\(path) and \(path).lock, and start the server on the old database"
        case .movedAway(let path, let target, let mark):
            "the database \(path) was moved to \(target ?? "another one") (\(mark.words)): name that one; its URL was lost from the settings, perhaps. "
                + "To go back, move that one to an empty database (ostiary admin move-database); to start on what was left here all the same, which gives spent tries and "
                + "stopped logins back, \(mark.removal)"
        case .newerThanProgram(let version):
            "the database is at schema version \(version), newer than this program: start the newer program, or restore a backup"
        case .olderBesideServer(version: 0):
            "the database holds nothing yet, and a server that starts or a move has it open: run this command again when that has begun"
        case .olderBesideServer(let version):
            "the database is at schema version \(version), older than this program, and a server has it open: start that server with this program "
                + "first, or run this command with the program of the server"
        case .olderPrograms(let version, let step):
            "the database is at schema version \(version), and programs that have it open cannot go on with step \(step): update them to a version "
                + "between first, or stop them all and start this program"
        case .stepBlocked(let number):
            "something holds a table that step \(number) of the schema changes, a backup or a prompt perhaps (\(StepWait.oldest) shows the oldest first): end "
                + "it, then start this program again"
        case .missingIndexes(let lacking):
            "the database \(SchemaIndexes.troubleLacking(lacking)): \(SchemaIndexes.remedy)"
        case .foreignMigration(let number, let expected, let found):
            "the database was made by another program (schema version \(number) is \(found), not \(expected)): name the database of this server"
        }
    }

    /// The command whole, or none: a URL of which a part is left out, or that is known of one end only, names another database.
    private static func finishing(from source: String, to target: String?) -> String {
        guard let target, [source, target].allSatisfy({ !$0.isEmpty && operatorLine($0) == $0 }) else {
            let origin = source.isEmpty ? "" : " (its rows come from \(operatorLine(source)))"
            return "by the same ostiary admin move-database that began it\(origin)"
        }
        return "with ostiary admin move-database --from \(shellWord(source)) --to \(shellWord(target))"
    }
}
