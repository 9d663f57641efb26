import Database
import OAuthProvider
import Synchronization

/// What rows of a table meant when they were last read. A row is asked of the database each time and compared value by value: one that says what it said
/// is not taken apart again, and one that differs is read. So nothing here can be older than the row.
final class RowReadings<ID: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Reading {
        let row: [SQLValue]
        let value: Value
    }

    private let most: Int
    private let readings = Mutex<[ID: Reading]>([:])

    /// - Parameter most: how many are remembered. Beyond them all are forgotten, and the next of each is read anew.
    init(most: Int = 1_024) { self.most = most }

    /// What a row means.
    /// - Parameters:
    ///   - row: of a statement whose columns are the same each time.
    ///   - read: depends on nothing but the row.
    func value(of row: SQLRow, as id: ID, read: (SQLRow) throws -> Value) rethrows -> Value {
        if let former = readings.withLock({ $0[id] }), former.row == row.values { return former.value }
        let value = try read(row)
        readings.withLock { readings in
            if readings.count >= most, readings[id] == nil { readings = [:] }
            readings[id] = Reading(row: row.values, value: value)
        }
        return value
    }
}

/// What is read at every call of the provider and hardly ever changes: the applications and APIs of operators.
final class RegistryReadings: Sendable {
    let applications = RowReadings<SQLOAuthRows.Key<ClientID>, Application>()
    let apis = RowReadings<SQLOAuthRows.Key<APIIdentifier>, ProtectedAPI>()
}
