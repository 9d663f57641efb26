/// What a program waits for before it goes on with the schema, for an operator. It is told while it lasts, which may be for as long as somebody else likes.
package enum StepWait: Equatable, Sendable {
    /// A table is wanted that others have: that of the steps, under whose lock they are taken. None of them is named where nobody could be asked.
    case locked(table: String, by: [HoldingSession], place: String)
    /// A step tries again and again to have a table that it changes.
    case trying(step: Int, tries: Int, most: Int, place: String)
}

/// A session that has what another one waits for, or is to have it before that one.
package struct HoldingSession: Equatable, Sendable {
    /// Its process at the database's server; 0 of a transaction that was prepared, and has none.
    package let pid: Int
    /// What it calls itself, as it likes; empty for nothing.
    package let program: String

    package init(pid: Int, program: String) { (self.pid, self.program) = (pid, program) }
}

/// When a wait is told: not before an operator would wonder, and then less and less often.
enum StepWaitTimes {
    /// How long is waited before it is told once more: three seconds the first time, then twice as long each time, up to five minutes.
    /// - Parameter number: of the telling, from 0.
    static func distance(_ number: Int) -> Duration { .seconds(min(300, 3 << min(number, 7))) }

    /// Whether a step tells how often it has tried. A try and the pause behind it take two seconds: after three seconds, seven, fifteen and so on.
    static func isDue(after tries: Int) -> Bool { tries > 1 && tries.nonzeroBitCount == 1 }
}

extension StepWait: CustomStringConvertible {
    /// One line.
    package var description: String {
        switch self {
        case .locked(let table, let sessions, let place):
            let more = sessions.count > Self.mostNamed ? ["\(sessions.count - Self.mostNamed) more"] : []
            let told = sessions.prefix(Self.mostNamed).map(\.description) + more
            let behind = told.isEmpty ? "another session" : told.joined(separator: ", ")
            return "waits for a lock on the table \(table) of the database \(place), behind \(behind): another node that takes a step of the schema, "
                + "or a transaction that somebody has left open. This goes on by itself when that ends; \(Self.blocking) shows what is in the way"
        case .trying(let step, let tries, let most, let place):
            return "step \(step) of the schema waits for a table of the database \(place) that others have, a backup or a transaction that somebody "
                + "has left open: \(Self.oldest) shows the oldest first. This tries again by itself (\(tries) of \(most) times so far), and goes on when "
                + "that ends"
        }
    }

    /// Sessions that one line names.
    private static let mostNamed = 4

    /// Everybody who is in somebody's way.
    private static let blocking = """
        SELECT pid, application_name, state, query FROM pg_stat_activity WHERE pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity)
        """

    /// Between two tries nobody is in anybody's way.
    static let oldest = "SELECT pid, application_name, state, xact_start FROM pg_stat_activity ORDER BY xact_start"
}

extension HoldingSession: CustomStringConvertible {
    package var description: String {
        if pid == 0 { return "a prepared transaction (pg_prepared_xacts)" }
        // It stands in parentheses among others, and shall not look like one of them.
        let name = String(operatorLine(program, most: 64).map { "(),".contains($0) ? "?" : $0 })
        return name.isEmpty ? "pid \(pid)" : "pid \(pid) (\(name))"
    }
}
