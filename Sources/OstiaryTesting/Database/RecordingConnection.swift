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

    init(_ base: any SQLConnection) { self.base = base }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        script.append(Statement(sql: sql, arguments: arguments))
        let changed = try base.execute(sql, arguments)
        changes += changed
        return changed
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        script.append(Statement(sql: sql, arguments: arguments))
        return try base.query(sql, arguments)
    }
}
