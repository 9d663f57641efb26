import Synchronization

/// How far a move is.
package struct MoveProgress: Equatable, Sendable {
    package enum Step: Equatable, Sendable { case copying, comparing }

    package let step: Step
    package let table: String
    /// Rows of that table so far, of this run.
    package let rows: Int
    /// Whether nothing of that table is left in this step.
    package let isTableDone: Bool
    /// Rows that were handled so far, each twice: copied and compared.
    package let done: Int
    /// What there is to do, likewise.
    package let total: Int
    /// How much of it was done before this run.
    package let before: Int
}

/// A table that is the same on both sides.
package struct ComparedTable: Equatable, Sendable {
    package let name: String
    package let rows: Int
    /// SHA-256 over its rows, in the order of their key.
    package let hash: [UInt8]
}

/// What a move that came to its end has found.
package struct MoveReport: Equatable, Sendable {
    package let tables: [ComparedTable]
    /// Rows that an earlier run had copied.
    package let resumedAt: Int
    /// Whether an earlier run had come to the end, and this one has only compared.
    package let wasMoved: Bool
    /// Whether the source says now that its rows are elsewhere.
    package var isNoted = true

    package var rows: Int { tables.map(\.rows).reduce(0, +) }
}

/// Counts what is done, and tells it.
final class MoveCounter: Sendable {
    private struct State {
        var done = 0
        var before = 0
        var (table, rows) = ("", 0)
    }

    private let total: Int
    private let tell: @Sendable (MoveProgress) -> Void
    private let state = Mutex(State())

    init(total: Int, tell: @Sendable @escaping (MoveProgress) -> Void) { (self.total, self.tell) = (total, tell) }

    /// So much was done by an earlier run.
    func start(at rows: Int) { state.withLock { ($0.done, $0.before) = (rows, rows) } }

    func copied(_ rows: Int, of table: String, isWhole: Bool) {
        note(.copying, table, isWhole) { state in (state.rows + rows, rows) }
    }

    /// - Parameter rows: of this table, in all.
    func compared(_ rows: Int, of table: String) {
        note(.comparing, table, false) { state in (rows, rows - state.rows) }
    }

    func finished(_ table: String) { note(.comparing, table, true) { state in (state.rows, 0) } }

    private func note(_ step: MoveProgress.Step, _ table: String, _ isDone: Bool, _ count: (State) -> (rows: Int, more: Int)) {
        let progress = state.withLock { state in
            if state.table != table { (state.table, state.rows) = (table, 0) }
            let (rows, more) = count(state)
            state.rows = rows
            state.done += more
            defer { if isDone { (state.table, state.rows) = ("", 0) } }
            return MoveProgress(
                step: step, table: table, rows: rows, isTableDone: isDone, done: state.done, total: max(total, state.done), before: state.before)
        }
        tell(progress)
    }
}
