import Database
import Synchronization

/// A database as a node with a cache has it: what was read before is answered from its memory. Who reads without being a node is answered by the rows.
final class RememberingDatabase: Database {
    enum Fault: Sendable, CaseIterable {
        /// What was read is believed for six looks.
        case staleCache
        /// What was read is believed until the word of a change comes, and the words to the third node are lost.
        case notifyTrusted
    }

    /// The node that a task works at.
    @TaskLocal static var node: Int?

    private struct Memory {
        var rows: [SQLRow]
        var looks = 0
    }

    private static let mostLooks = 6
    private let base: any Database
    private let fault: Fault?
    private let memories = Mutex<[Int: [String: Memory]]>([:])

    init(_ base: any Database, _ fault: Fault?) { (self.base, self.fault) = (base, fault) }

    var dialect: SQLDialect { base.dialect }
    var isShared: Bool { base.isShared }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        guard let node = Self.node, fault != nil else { return try await base.read(body) }
        return try await base.read { connection in try body(RememberingConnection(connection, self, node)) }
    }

    @discardableResult
    func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        let value = try await base.transaction(body)
        if fault == .notifyTrusted { memories.withLock { $0 = $0.filter { $0.key == 2 } } }
        return value
    }

    fileprivate func remembered(_ statement: String, at node: Int) -> [SQLRow]? {
        memories.withLock { memories in
            guard let memory = memories[node]?[statement], fault == .notifyTrusted || memory.looks < Self.mostLooks else { return nil }
            memories[node]?[statement]?.looks += 1
            return memory.rows
        }
    }

    fileprivate func remember(_ rows: [SQLRow], of statement: String, at node: Int) {
        memories.withLock { $0[node, default: [:]][statement] = Memory(rows: rows) }
    }

    func purge() async throws { try await base.purge() }
    func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    func checkInPlace() async throws { try await base.checkInPlace() }
    func close() async throws { try await base.close() }
}

private final class RememberingConnection: SQLConnection {
    private let base: any SQLConnection
    private let database: RememberingDatabase
    private let node: Int

    init(_ base: any SQLConnection, _ database: RememberingDatabase, _ node: Int) {
        (self.base, self.database, self.node) = (base, database, node)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try base.execute(sql, arguments) }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let statement = "\(sql) \(arguments)"
        if let rows = database.remembered(statement, at: node) { return rows }
        let rows = try base.query(sql, arguments)
        database.remember(rows, of: statement, at: node)
        return rows
    }
}
