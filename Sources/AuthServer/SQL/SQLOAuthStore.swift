import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTokens

/// The store of the provider, in the database of the authentication server: its statements join sessions and accounts (docs/decisions/0021).
package struct SQLOAuthStore: OAuthStore {
    private let database: any Database
    private let key: KeyEncryptionKey
    private let audited: @Sendable ([AuditEntry]) -> Void
    private let readings = RegistryReadings()
    let familyRound = FamilyRound()

    /// - Parameter audited: told what a transaction wrote into the audit trail, once, after its commit.
    package init(database: any Database, key: KeyEncryptionKey, audited: @Sendable @escaping ([AuditEntry]) -> Void = { _ in }) {
        self.database = database
        self.key = key
        self.audited = audited
    }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value {
        try await look { rows in try body(rows) }
    }

    @discardableResult
    package func write<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value) async throws -> Value {
        try await write(.hard, body)
    }

    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(.soft, body)
    }

    private func write<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any OAuthRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let (secrets, readings) = (RowSecrets(key: key, salt: WrapSalt()), readings)
        return try await database.transaction(durability, over: { SQLOAuthRows($0, secrets, readings) }, telling: audited, { try body($0, $1) })
    }

    /// One that only reads.
    func look<Value: Sendable>(_ body: @Sendable @escaping (SQLOAuthRows) throws -> Value) async throws -> Value {
        let (secrets, readings) = (RowSecrets(key: key, salt: nil), readings)
        return try await database.read { try body(SQLOAuthRows($0, secrets, readings)) }
    }

    /// A transaction that says the same when it looks again.
    func rows<Value: Sendable>(_ body: @Sendable @escaping (SQLOAuthRows) throws -> Value) async throws -> Value {
        let (secrets, readings) = (RowSecrets(key: key, salt: nil), readings)
        return try await database.transaction { connection, _ in try body(SQLOAuthRows(connection, secrets, readings)) }
    }
}

/// The provider's rows of one transaction, which knows what it has read and written.
final class SQLOAuthRows: OAuthRows, AuditedRows {
    /// A row that is one of its server's.
    struct Key<Name: Hashable & Sendable>: Hashable, Sendable {
        let server: ServerID
        let name: Name
    }

    let connection: any SQLConnection
    let secrets: RowSecrets
    let readings: RegistryReadings
    /// What this transaction has written into the audit trail.
    var recorded: [RecordedEntry] = []
    private(set) lazy var knownApplications = KnownRows<Key<ClientID>, Application>()
    private(set) lazy var knownAPIs = KnownRows<Key<APIIdentifier>, ProtectedAPI>()
    private(set) lazy var knownRoles = KnownRows<Key<String>, Role>()
    private(set) lazy var knownUsers = KnownRows<Key<String>, ProviderUser>()
    private(set) lazy var knownGrants = KnownRows<GrantID, Grant>()
    private(set) lazy var knownFamilies = KnownRows<GrantID, RefreshFamily>()
    private(set) lazy var knownCodes = KnownRows<Key<[UInt8]>, AuthorizationCode>()
    private(set) lazy var knownTokens = KnownRows<Key<[UInt8]>, OpaqueToken>()
    private(set) lazy var knownPushed = KnownRows<Key<[UInt8]>, PushedRequest>()
    private(set) lazy var knownPolled = KnownRows<Key<[UInt8]>, PolledAuthorization>()

    init(_ connection: any SQLConnection, _ secrets: RowSecrets, _ readings: RegistryReadings) {
        self.connection = connection
        self.secrets = secrets
        self.readings = readings
    }

    /// How many rows there are.
    /// - Parameter rows: what stands behind `FROM`, with its condition.
    func count(_ rows: String, _ arguments: [SQLValue]) throws -> Int {
        Int(try connection.one("SELECT count(*) AS total FROM \(rows)", arguments)?.integer("total") ?? 0)
    }
}
