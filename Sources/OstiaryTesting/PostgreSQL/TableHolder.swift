import Database
import Dispatch

/// Somebody who has locked a table of a PostgreSQL database and does nothing more, as at a prompt that was left open.
package final class TableHolder: Sendable {
    /// Its process at the database's server.
    package let session: Int
    /// What it calls itself.
    package static let program = "psql"

    private let release: DispatchSemaphore
    private let work: Task<Void, any Error>

    /// - Parameter mode: of the lock; others do not even read meanwhile, unless it says otherwise.
    /// - Returns: when it has the table.
    package init(_ table: String, at address: PostgreSQLAddress, mode: String = "ACCESS EXCLUSIVE") async throws {
        var settings = PostgreSQLSettings.forTests
        (settings.program, settings.idleTimeout) = (Self.program, 0)
        let patient = settings
        let database = try await onOwnThread { try PostgreSQLDatabase.open(address, settings: patient) }
        let release = DispatchSemaphore(value: 0)
        let (sessions, begun) = AsyncStream.makeStream(of: Int.self)
        let work = Task {
            defer { begun.finish() }
            try await database.transaction { connection -> Void in
                try connection.execute("LOCK TABLE \(table) IN \(mode) MODE")
                begun.yield(try connection.one("SELECT pg_backend_pid() AS session")?.int("session") ?? 0)
                release.wait()
            }
            await database.close()
        }
        var first = sessions.makeAsyncIterator()
        guard let session = await first.next() else {
            try await work.value
            throw PostgreSQLTrouble("the table \(table) cannot be held")
        }
        (self.session, self.release, self.work) = (session, release, work)
    }

    /// The same while `body` runs, or until that lets go itself; however it ends: else what waits for the table would for ever.
    package static func with<Value>(
        _ table: String, at address: PostgreSQLAddress, mode: String = "ACCESS EXCLUSIVE", _ body: (TableHolder) async throws -> Value
    ) async throws -> Value {
        let holder = try await TableHolder(table, at: address, mode: mode)
        let value: Value
        do { value = try await body(holder) } catch {
            try? await holder.letGo()
            throw error
        }
        try await holder.letGo()
        return value
    }

    /// Ends its transaction, and returns when that has ended; given again it does nothing more.
    package func letGo() async throws {
        release.signal()
        try await work.value
    }
}
