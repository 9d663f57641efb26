/// What a database must hold already when it is opened.
package enum DatabaseContent: Equatable, Sendable {
    /// Whatever is there.
    case any
    /// No tables, or those that this program made.
    case nothingOrOurs
    /// Tables that this program made.
    case ours
}
