/// Why a database does not outlive the machine that it is on. Each is told to the operator as one line, which says what to do.
package enum NoStandby: Error, Equatable, Sendable {
    /// A file is on one machine.
    case file
    /// Commits wait for no other server.
    case notAwaited
    /// Commits wait for servers of these names, as the setting has them, and not enough of them are there: no commit ends.
    case absent(names: String, found: Int, needed: Int)
    /// This user is not told what standbys do.
    case hidden(role: String)
}

extension NoStandby: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file:
            "the database is a file, which no second machine has: name a PostgreSQL that has a synchronous standby (docs/operations.md, PostgreSQL)"
        case .notAwaited:
            "no synchronous standby: a failover would lose what was acknowledged last. Make one by pg_basebackup -R with an application_name of its "
                + "own, name it on the server by ALTER SYSTEM SET synchronous_standby_names = 'NAME', and SELECT pg_reload_conf()"
        case .absent(let names, let found, let needed):
            "\(found) of \(needed) synchronous standbys are connected (synchronous_standby_names is \(names)): commits wait until they are. Start the "
                + "standby, look at the application_name in its primary_conninfo, or name another"
        case .hidden(let role): "what standbys do is hidden from this user: GRANT pg_read_all_stats TO \(role)"
        }
    }
}

/// What a PostgreSQL server says of its standbys.
struct StandbyStanding: Equatable {
    /// As `synchronous_standby_names` has them.
    let names: String
    /// Standbys for which commits wait, and that follow.
    let found: Int
    /// Whether the user may know that.
    let isTold: Bool
    let role: String

    init(names: String, found: Int, isTold: Bool, role: String) {
        (self.names, self.found, self.isTold, self.role) = (names, found, isTold, role)
    }

    init(_ row: SQLRow) throws {
        self.init(names: try row.text("names"), found: try row.int("standbys"), isTold: try row.bool("sees"), role: try row.text("role"))
    }

    var trouble: NoStandby? {
        if names.allSatisfy(\.isWhitespace) { return .notAwaited }
        guard isTold else { return .hidden(role: role) }
        return found < needed ? .absent(names: names, found: found, needed: needed) : nil
    }

    /// How many a commit waits for: the number before the list of names, as in `FIRST 2 (a, b)`, `ANY 1 (a, b)` and `2 (a, b)`; else one.
    var needed: Int {
        guard let list = names.firstIndex(of: "("), !names[..<list].contains("\"") else { return 1 }
        let words = names[..<list].split(whereSeparator: \.isWhitespace)
        return words.last.flatMap { Int($0) } ?? 1
    }
}
