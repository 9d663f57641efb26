import Database
import Synchronization

/// A database that counts what is asked of it: each statement is a round trip where the database is another machine, each commit a wait for its disk.
package final class CountingDatabase: Database {
    /// What was asked between two looks.
    package struct Count: Equatable, Sendable {
        /// Transactions that were begun in order to read.
        package var reads = 0
        /// Transactions that were committed and changed a row. One that changed none waits for no disk.
        package var commits = 0
        /// Those of them that were soft, and waited for no disk either.
        package var softCommits = 0
        /// What the bodies ran, in order; not what begins and ends their transactions.
        package var statements: [String] = []
        /// The same, apart for each run of a body that may write.
        package var transactions: [[String]] = []
    }

    private let base: any Database
    private let count = Mutex(Count())

    package init(_ base: any Database) { self.base = base }

    /// What was asked since the last look, and begins a new count.
    package func take() -> Count {
        count.withLock { count in
            defer { count = Count() }
            return count
        }
    }

    package var dialect: SQLDialect { base.dialect }
    package var isShared: Bool { base.isShared }
    package var announcements: (any Announcements)? { base.announcements }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await base.read { connection in
            let counting = RecordingConnection(connection)
            defer { self.add(counting.script, reads: 1) }
            return try body(counting)
        }
    }

    @discardableResult
    package func transaction<Value: Sendable>(_ body: @Sendable @escaping (any SQLConnection) throws -> Value) async throws -> Value {
        try await transaction(.hard, body)
    }

    @discardableResult
    package func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let (value, changes) = try await base.transaction(durability) { connection in
            let counting = RecordingConnection(connection)
            defer { self.add(counting.script) }
            return (try body(counting), counting.changes)
        }
        guard changes > 0 else { return value }
        count.withLock { count in
            count.commits += 1
            if durability == .soft { count.softCommits += 1 }
        }
        return value
    }

    private func add(_ script: [Statement], reads: Int = 0) {
        let statements = script.map(\.sql)
        count.withLock { count in
            count.reads += reads
            count.statements += statements
            if reads == 0 { count.transactions.append(statements) }
        }
    }

    package func purge() async throws { try await base.purge() }
    package func checkWritable(_ tables: Set<String>) async throws { try await base.checkWritable(tables) }
    package func checkInPlace() async throws { try await base.checkInPlace() }
    package func checkStandby() async throws { try await base.checkStandby() }
    package var refusal: String? { base.refusal }
    package func close() async throws { try await base.close() }
}
