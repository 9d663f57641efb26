import Synchronization

/// What is read from the statements of a schema, once for each that this process meets: a move opens two databases of one schema, our tests open thousands, and
/// without an optimiser the reading was a sixth of what they computed.
final class OnceForStatements<Value: Sendable>: Sendable {
    /// By which a start finds its schema again without a hash of all its text.
    private struct Statements: Hashable {
        let all: [String]

        func hash(into hasher: inout Hasher) {
            hasher.combine(all.count)
            hasher.combine(all.last)
        }
    }

    private let values = Mutex<[Statements: Value]>([:])

    /// - Parameter read: may run more than once where several begin at the same moment.
    func value(of statements: [String], by read: ([String]) -> Value) -> Value {
        if let known = values.withLock({ $0[Statements(all: statements)] }) { return known }
        let value = read(statements)
        values.withLock { $0[Statements(all: statements)] = value }
        return value
    }
}
