import Database

/// What a body asked of its connection.
struct Statement: Equatable, Sendable {
    let sql: String
    let arguments: [SQLValue]
}

/// Hands everything on and remembers it.
final class RecordingConnection: SQLConnection {
    private let base: any SQLConnection
    private(set) var script: [Statement] = []
    /// How many rows were changed.
    private(set) var changes = 0
    /// Whether the engine gave the transaction up under the body: others were in its way, or the connection is lost. It begins it again, or says so.
    private(set) var wasGivenUp = false

    init(_ base: any SQLConnection) { self.base = base }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        script.append(Statement(sql: sql, arguments: arguments))
        let changed = try noting { try base.execute(sql, arguments) }
        changes += changed
        return changed
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        script.append(Statement(sql: sql, arguments: arguments))
        return try noting { try base.query(sql, arguments) }
    }

    private func noting<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch {
            wasGivenUp = wasGivenUp || SQLError.isOutage(error)
            throw error
        }
    }
}
