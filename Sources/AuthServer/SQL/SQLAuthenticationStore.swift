import Authentication
import Database
import OstiaryProtocol

/// The store of the domain in a database. Secrets are wrapped before they reach it: shares, one-time-code keys and private keys.
package struct SQLAuthenticationStore: AuthenticationStore {
    private let database: any Database
    private let key: KeyEncryptionKey
    private let audited: @Sendable ([AuditEntry]) -> Void
    private let views: SessionViews?
    /// Whether every program that has the database reads receipts in their short form; nil where they are written in the long one.
    let shortReceipts: StepWatch?

    /// - Parameter audited: told what a transaction wrote into the audit trail, once, after its commit.
    package init(database: any Database, key: KeyEncryptionKey, audited: @Sendable @escaping ([AuditEntry]) -> Void = { _ in }) {
        self.init(database: database, key: key, views: nil, audited: audited)
    }

    /// - Parameters:
    ///   - views: logins of this database in memory; nil where each is read.
    ///   - shortReceipts: of step ``AuthenticationSchema/shortReceipts``.
    init(
        database: any Database, key: KeyEncryptionKey, views: SessionViews?, shortReceipts: StepWatch? = nil,
        audited: @Sendable @escaping ([AuditEntry]) -> Void
    ) {
        self.database = database
        self.key = key
        self.views = views
        self.shortReceipts = shortReceipts
        self.audited = audited
    }

    /// Whether logins are answered out of memory.
    var keepsViews: Bool { views != nil }

    package func read<Value: Sendable>(_ body: @Sendable @escaping (any AuthenticationRows) throws -> Value) async throws -> Value {
        let key = key
        return try await database.read { try body(SQLRows($0, key: key)) }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(.hard, body)
    }

    @discardableResult
    package func writeSoftly<Value: Sendable>(
        _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await write(.soft, body)
    }

    private func write<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any AuthenticationRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        try await writeRows(durability) { try body($0, $1) }
    }

    private func writeRows<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (SQLRows, _ former: Value?) throws -> Value
    ) async throws -> Value {
        let (key, salt) = (key, WrapSalt())
        // Once for both runs of a body: a node may learn of the step between them.
        let form: ReceiptForm = shortReceipts?.isTaken == true ? .short : .long
        return try await database.transaction(
            durability, over: { SQLRows($0, key: key, salt: salt, receiptForm: form) }, telling: audited, body)
    }

    /// Whether receipts of before the step are still to be brought into their short form, and every program reads it.
    func hasReceiptsOfBefore() async throws -> Bool {
        guard shortReceipts?.isTaken == true else { return false }
        let key = key
        return try await database.read { try SQLRows($0, key: key).hasReceiptsOfBefore() }
    }

    /// One batch of these. Whether there may be more.
    func repackReceipts(limit: Int) async throws -> Bool {
        guard shortReceipts?.isTaken == true else { return false }
        return try await writeRows(.hard) { rows, _ in try rows.repackReceipts(limit: limit) }
    }

    package func view(nonceHash: [UInt8], of server: ServerID) async throws -> SessionView? {
        try await SQLRows.view(nonceHash: nonceHash, of: server, in: database)
    }

    package func viewAtOnce(nonceHash: [UInt8], of server: ServerID) -> SeenView? {
        // A closure that takes the store takes a copy of it, which cost half of what is asked of the memory.
        let database = database
        guard let views else { return SQLRows.viewAtOnce(nonceHash: nonceHash, of: server, in: database).map { SeenView($0) } }
        return views.view(nonceHash: nonceHash, of: server) { SQLRows.viewAtOnce(nonceHash: nonceHash, of: server, in: database) }
    }
}

/// The rows of one transaction. What it has read or written it knows, so that asking again costs no statement and saving writes what differs.
final class SQLRows: AuthenticationRows, AuditedRows {
    let connection: any SQLConnection
    /// In which form it writes receipts.
    let receiptForm: ReceiptForm
    private let secrets: RowSecrets
    /// What this transaction has written into the audit trail.
    var recorded: [RecordedEntry] = []
    /// How many accounts more there are by this transaction, which is not written yet.
    var accountsMade: [ServerID: Int] = [:]
    // Made when they are first needed: most transactions meet rows of few tables.
    private(set) lazy var knownServers = KnownRows<ServerID, VirtualServer>()
    private(set) lazy var knownAccounts = KnownRows<AccountID, Account>()
    private(set) lazy var knownInstances = KnownRows<InstanceID, InstanceRow>()
    private(set) lazy var knownSessions = KnownRows<SessionID, Session>()
    private(set) lazy var knownEnrolments = KnownRows<EnrolmentID, Enrolment>()

    init(_ connection: any SQLConnection, key: KeyEncryptionKey, salt: WrapSalt? = nil, receiptForm: ReceiptForm = .long) {
        self.connection = connection
        self.receiptForm = receiptForm
        secrets = RowSecrets(key: key, salt: salt)
    }

    func wrapped(_ secret: StoredSecret, _ place: String, _ row: [UInt8]) throws -> [UInt8] { try secrets.wrapped(secret, place, row) }
    func secret(_ wrapped: [UInt8], _ place: String, _ row: [UInt8]) -> StoredSecret { secrets.secret(wrapped, place, row) }
}
