import Database
import OstiaryProtocol
import SecondFactor

/// The store of the domain in a database, and that of this server's own keys. Keys are wrapped before they reach it.
package struct SQLSecondFactorStore: SecondFactorStore, IdentityStore {
    private let database: any Database

    package init(database: any Database) { self.database = database }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any SecondFactorRows) throws -> Value) async throws -> Value {
        try await database.read { try body(SQLRows($0)) }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await database.transaction { connection, former in try body(SQLRows(connection), former) }
    }

    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any SecondFactorRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await database.transaction(.soft) { connection, former in try body(SQLRows(connection), former) }
    }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any IdentityRows) throws -> Value) async throws -> Value {
        try await database.read { try body(SQLRows($0)) }
    }

    @discardableResult
    func write<Value: Sendable>(_ body: @Sendable @escaping (any IdentityRows) throws -> Value) async throws -> Value {
        try await database.transaction { connection, _ in try body(SQLRows(connection)) }
    }
}

/// The rows of one transaction. What it has read or written it knows, so that asking again costs no statement and saving writes what differs.
final class SQLRows: SecondFactorRows {
    let connection: any SQLConnection
    private(set) lazy var knownInstances = KnownRows<InstanceID, Instance>()
    private(set) lazy var knownAttempts = KnownRows<AttemptID, AttemptRecord>()
    private(set) lazy var knownKeys = KnownRows<InstanceID, PendingKey>()

    init(_ connection: any SQLConnection) { self.connection = connection }

    func removeExpired(at now: Instant, limit: Int) throws -> Int {
        let attempts = try connection.execute(
            "DELETE FROM attempt WHERE id IN (SELECT id FROM attempt WHERE expires_at <= $1 LIMIT $2)", [SQLValue(now.seconds), SQLValue(limit)])
        knownAttempts.forget()
        return attempts + (try removePendingKeys(expiredAt: now, limit: limit - attempts))
    }

    func removePendingKeys(expiredAt now: Instant, limit: Int) throws -> Int {
        let keys = try connection.execute(
            "DELETE FROM pending_key WHERE instance_id IN (SELECT instance_id FROM pending_key WHERE expires_at <= $1 LIMIT $2)",
            [SQLValue(now.seconds), SQLValue(limit)])
        knownKeys.forget()
        return keys
    }
}
