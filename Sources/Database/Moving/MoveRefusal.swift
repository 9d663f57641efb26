/// Why a move is not begun, or does not come to its end. Each is told to the operator as one line.
package enum MoveRefusal: Error, Equatable, Sendable {
    /// A move is from one engine to the other.
    case sameEngine
    /// Servers are connected to the source.
    case serverRuns(String, connections: Int)
    /// The file of the source has more names than the one that was given: word that it was moved would lie beside one of them.
    case otherNames(path: String)
    /// The source has the table of steps, and no step was taken.
    case notStarted(String)
    /// The source wants steps of the schema that this program knows.
    case olderSource(String, version: Int)
    /// The rows of the source were moved to another database before, or to this one, which holds them no more as they were.
    case movedAway(String, MovedWord)
    /// The target has tables that no unfinished move has made.
    case targetNotEmpty(String)
    /// The target holds what others have made, and nothing of this program.
    case targetOfOthers(String)
    /// The target takes the rows of another source.
    case otherSource(target: String, source: String)
    /// Tables that one side has and the other has not, or not so.
    case unlikeTables([String])
    case noKey(String)
    /// Tables that refer to each other in a ring.
    case circular([String])
    /// Somebody else writes to the target.
    case disturbed(String)
    /// These tables are not the same on both sides.
    case differs(tables: [String], source: String, target: String)
}

extension MoveRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sameEngine:
            "both are of one engine: copy a SQLite file as docs/operations.md says under Backup, and a PostgreSQL database by pg_dump and pg_restore"
        case .serverRuns(let name, let connections):
            "a server has \(name) open (\(connections) connections): stop every server on it, then run the same command again"
        case .otherNames(let path):
            "the file \(path) has another name, too (a hard link; find -samefile shows it), by which a server could be started once it is moved, and would give "
                + "spent tries and stopped logins back: remove the other name, then run the same command again; nothing was changed"
        case .notStarted(let name): "no server has run on \(name): there is nothing to move"
        case .olderSource(let name, let version):
            "\(name) is at schema version \(version), older than this program: start its server once with this program and stop it again, then run the "
                + "same command again"
        case .movedAway(let name, let word):
            "\(name) was moved to \(word.target ?? "another one") already (\(word.mark.words)), and is an older state since: move that one, if it is to go on "
                + "elsewhere. To move what was left here all the same, which gives spent tries and stopped logins back, \(word.mark.removal), then run the "
                + "same command again"
        case .targetNotEmpty(let name): "\(name) is not empty, and what it holds is no unfinished move: name an empty database; nothing was changed"
        case .targetOfOthers(let name):
            "\(name) is not empty: what is in it, tables or views or functions, others have made, and it was left as it is: name an empty database"
        case .otherSource(let target, let source):
            "\(target) holds the beginning of another move, from \(source): finish that one, or name an empty database; nothing was changed"
        case .unlikeTables(let tables):
            "the two databases have not the same tables (\(tables.joined(separator: ", "))): one holds tables of others, or was made by another program; "
                + "remove what is not this server's and run the same command again"
        case .noKey(let table):
            "the table \(table) has no primary key, which every table of this program has; a restore without its last part loses them. Start the server on "
                + "this database: where the table is its own, the start says which statement gives the key back. Remove a table only if others made it. Then "
                + "run the same command again"
        case .circular(let tables): "tables refer to each other in a ring (\(tables.joined(separator: ", "))), and none of this program does"
        case .disturbed(let table):
            "somebody else writes to the target (\(table)): another run of this move, from a copy of the old database perhaps: let that come to its end; or "
                + "end what it is, empty the target, and run the same command again"
        case .differs(let tables, let source, let target):
            "\(target) is not the same as \(source) (\(tables.joined(separator: ", "))): one of them was changed since the move began. Nothing is lost: "
                + "\(source) is as it was. Remove \(target), make it anew, and run the same command again"
        }
    }
}
