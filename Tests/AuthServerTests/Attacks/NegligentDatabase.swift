import Database
import Synchronization

/// The database of a node whose store is wrong about codes: the others at the same rows do not hear of what it leaves out, or it does not hear of them.
final class NegligentDatabase: Database {
    enum Fault: Sendable, CaseIterable {
        /// That a code is spent is written with what the node writes next; until then it knows that alone.
        case spentLater
        /// Whoever shows a code again is refused, and what it gave stays.
        case neverEnded
        /// Whether somebody is logged in is answered as it was the first time.
        case loginRemembered
    }

    private struct Statement: Sendable {
        let sql: String
        let arguments: [SQLValue]
    }

    private let base: any Database
    private let fault: Fault?
    private let due = Mutex<[Statement]>([])
    private let logins = Mutex<[String: [SQLRow]]>([:])

    /// - Parameter fault: nil for a node that is right.
    init(_ base: any Database, _ fault: Fault?) { (self.base, self.fault) = (base, fault) }

    var dialect: SQLDialect { base.dialect }
    var isShared: Bool { base.isShared }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        guard let fault else { return try await base.read(body) }
        return try await base.read { connection in try body(NegligentConnection(connection, self, fault)) }
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        guard let fault else { return try await base.transaction(body) }
        let late = due.withLock { due in
            defer { due = [] }
            return due
        }
        return try await base.transaction { connection -> Value in
            for statement in late { try connection.execute(statement.sql, statement.arguments) }
            return try body(NegligentConnection(connection, self, fault))
        }
    }

    fileprivate func putOff(_ sql: String, _ arguments: [SQLValue]) {
        due.withLock { $0.append(Statement(sql: sql, arguments: arguments)) }
    }

    fileprivate func remembered(_ statement: String, orFind find: () throws -> [SQLRow]) rethrows -> [SQLRow] {
        if let rows = logins.withLock({ $0[statement] }) { return rows }
        let rows = try find()
        logins.withLock { $0[statement] = rows }
        return rows
    }

    func purge() async throws { try await base.purge() }
    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }
    func close() async throws { try await base.close() }
}

private final class NegligentConnection: SQLConnection {
    private let base: any SQLConnection
    private let database: NegligentDatabase
    private let fault: NegligentDatabase.Fault

    init(_ base: any SQLConnection, _ database: NegligentDatabase, _ fault: NegligentDatabase.Fault) {
        (self.base, self.database, self.fault) = (base, database, fault)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        switch fault {
        case .spentLater where sql.hasPrefix("UPDATE oauth_code"):
            database.putOff(sql, arguments)
            return 1
        case .neverEnded where sql.hasPrefix("UPDATE oauth_grant SET revoked_at"): return 1
        case .spentLater, .neverEnded, .loginRemembered: return try base.execute(sql, arguments)
        }
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        guard fault == .loginRemembered, sql.contains("FROM session s") else { return try base.query(sql, arguments) }
        return try database.remembered("\(sql) \(arguments)") { try base.query(sql, arguments) }
    }
}
