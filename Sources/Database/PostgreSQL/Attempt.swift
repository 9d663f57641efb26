/// What a transaction is for.
enum TransactionKind {
    /// Sees one state. It takes no part in conflicts, so none begins it again.
    case read
    /// One statement that reads. The engine takes it for a transaction by itself, so nothing begins or ends it.
    case oneStatement
    /// Runs as if alone: what it read stays true until it has committed, or it is begun again.
    case write

    var beginning: String? {
        switch self {
        case .oneStatement: nil
        case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
        }
    }
}

/// How a run of a body ended.
enum Attempt<Value>: Sendable where Value: Sendable {
    case done(Result<Value, any Error>)
    /// Nothing of it was kept, and the body is to be run again.
    case again(AgainCause)
}

enum AgainCause: Equatable {
    /// Others were in its way.
    case conflict
    /// The connection was lost before the commit.
    case loss
    /// The schema has changed under what was prepared.
    case staleStatements
    /// The body went on after the error of a statement, with which this engine gives up the whole transaction: it caught it, or did not wait for it. It is run
    /// again, and each statement is waited for and can be taken back alone.
    case unheededError
}
