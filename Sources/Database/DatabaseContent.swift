/// What a database must hold already when it is opened. One that a move has not filled to the end holds nothing that is of use.
package enum DatabaseContent: Equatable, Sendable {
    /// Whatever is there.
    case any
    /// No tables, or those that this program made.
    case nothingOrOurs
    /// Tables that this program made.
    case ours
    /// For the target of a move: nothing, tables that this program made, or the beginning of a move.
    case nothingOrMoved
}
