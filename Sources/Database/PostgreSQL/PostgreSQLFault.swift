import CLibPQ

/// What a server said that it would not do (PostgreSQL, appendix A), as far as it is of use and holds none of the data.
struct PostgreSQLFault: Error, Equatable {
    /// Five characters.
    let state: String
    /// The server's own sentence. It may quote a value where the state is of class 22 or 23.
    let message: String
    let constraint: String?
    let table: String?
    let column: String?

    init(_ result: OpaquePointer?) {
        func field(_ letter: Character) -> String? {
            PQresultErrorField(result, Int32(letter.asciiValue ?? 0)).map { String(cString: $0) }
        }
        state = field("C") ?? "XXXXX"
        message = field("M") ?? "no detail"
        (constraint, table, column) = (field("n"), field("t"), field("c"))
    }

    init(state: String, message: String = "", constraint: String? = nil, table: String? = nil, column: String? = nil) {
        (self.state, self.message, self.constraint, self.table, self.column) = (state, message, constraint, table, column)
    }

    /// Whether the same body, begun anew, may well succeed: others were in its way, or two made one table at once.
    var isConflict: Bool {
        switch state {
        case "40001", "40P01": true
        // Of a catalogue's own index: a table that was not there a moment ago.
        case "23505": constraint?.hasPrefix("pg_") == true
        default: false
        }
    }

    /// Whether a statement that was prepared is not what it was: the schema has changed since.
    var isStaleStatement: Bool { state == "0A000" }

    /// Whether the connection is not its session's own: what was prepared there is not there, or somebody else's is; or a pooler says that it hands connections on
    /// after each statement. PgBouncer has the number 08P01 for all that it refuses.
    var showsPooler: Bool { state == "26000" || state == "42P05" || (state == "08P01" && message.contains("statement pooling")) }
}
