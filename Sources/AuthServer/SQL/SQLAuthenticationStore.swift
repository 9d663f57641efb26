import Authentication
import Database
import OstiaryProtocol

/// The store of the domain in a database. Secrets are wrapped before they reach it: shares, one-time-code keys and private keys.
package struct SQLAuthenticationStore: AuthenticationStore {
    private let database: any Database
    private let key: KeyEncryptionKey
    private let audited: @Sendable ([AuditEntry]) -> Void

    /// - Parameter audited: told what a transaction wrote into the audit trail, once, after its commit.
    package init(database: any Database, key: KeyEncryptionKey, audited: @Sendable @escaping ([AuditEntry]) -> Void = { _ in }) {
        self.database = database
        self.key = key
        self.audited = audited
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        let key = key
        return try await database.read { try body(SQLRows($0, key: key)) }
    }

    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        let (key, salt) = (key, WrapSalt())
        let (value, entries) = try await database.transaction { connection in
            let rows = SQLRows(connection, key: key, salt: salt)
            return (try body(rows), rows.recorded)
        }
        if !entries.isEmpty { audited(entries) }
        return value
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let (key, salt) = (key, WrapSalt())
        let (value, entries) = try await database.transaction { connection, former -> (Value, [AuditEntry]) in
            let rows = SQLRows(connection, key: key, salt: salt)
            let value = try body(rows, former?.0)
            // A body that finds what it did writes nothing down a second time.
            return (value, rows.recorded.isEmpty ? former?.1 ?? [] : rows.recorded)
        }
        if !entries.isEmpty { audited(entries) }
        return value
    }
}

/// The rows of one transaction.
final class SQLRows: AuthenticationRows {
    let connection: any SQLConnection
    private let key: KeyEncryptionKey
    /// Nil where nothing is written.
    private let salt: WrapSalt?
    /// What this transaction has written into the audit trail.
    var recorded: [AuditEntry] = []

    init(_ connection: any SQLConnection, key: KeyEncryptionKey, salt: WrapSalt? = nil) {
        self.connection = connection
        self.key = key
        self.salt = salt
    }

    /// Wraps a secret for the one row and column that `place` names.
    func wrap(_ secret: [UInt8], _ place: String, _ row: [UInt8]) throws -> [UInt8] {
        guard let salt else { throw SQLError.readOnly }
        return try key.wrap(secret, context: "as/\(place)/\(Base64URL.encode(row))", salt: salt)
    }

    func unwrap(_ wrapped: [UInt8], _ place: String, _ row: [UInt8]) throws -> [UInt8] {
        try key.unwrap(wrapped, context: "as/\(place)/\(Base64URL.encode(row))")
    }

    func one(_ sql: String, _ arguments: [SQLValue]) throws -> ColumnReader? { try connection.one(sql, arguments).map(ColumnReader.init) }

    func all<Value>(_ sql: String, _ arguments: [SQLValue], _ decode: (inout ColumnReader) throws -> Value) throws -> [Value] {
        try connection.query(sql, arguments).map { row in
            var columns = ColumnReader(row)
            return try decode(&columns)
        }
    }
}
