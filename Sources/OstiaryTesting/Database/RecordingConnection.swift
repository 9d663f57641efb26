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

    /// Whether changes that nobody waits for are handed on as such. Then how many rows they change is not known here.
    private let keepsBack: Bool

    init(_ base: any SQLConnection, keepsBack: Bool = false) { (self.base, self.keepsBack) = (base, keepsBack) }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        script.append(Statement(sql: sql, arguments: arguments))
        let changed = try noting { try base.execute(sql, arguments) }
        changes += changed
        return changed
    }

    func write(_ sql: String, _ arguments: [SQLValue], changing count: Int?, of table: String) throws {
        guard keepsBack else {
            let changed = try execute(sql, arguments)
            guard count == nil || changed == count else { throw SQLError.rowGone(table: table) }
            return
        }
        script.append(Statement(sql: sql, arguments: arguments))
        try noting { try base.write(sql, arguments, changing: count, of: table) }
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
