import Authentication
import Database
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

@testable import AuthServer

/// Where the provider's store keeps its rows. Its suites run on each.
enum ProviderStoreBackend: CaseIterable, Sendable, CustomStringConvertible {
    case memory, sqliteInMemory, sqliteFile
    /// Where one is installed; `scripts/test` sees to it.
    case postgresql

    static var allCases: [ProviderStoreBackend] { [.memory] + databases }
    static let databases = [sqliteInMemory, sqliteFile] + (PostgreSQLCluster.isInstalled ? [postgresql] : [])

    var description: String {
        switch self {
        case .memory: "memory"
        case .sqliteInMemory: "SQLite in memory, every body twice"
        case .sqliteFile: "SQLite file"
        case .postgresql: "PostgreSQL, every body twice"
        }
    }

    /// Lends an empty store to `body`, with the accounts and sessions that it looks at.
    func run(_ body: @Sendable (ProviderStoreFixture) async throws -> Void) async throws {
        switch self {
        case .memory:
            let store = MemoryOAuthStore()
            try await body(ProviderStoreFixture(store: store, people: .memory(store)))
        case .sqliteInMemory: try await run(on: try misbehavingDatabase(), body)
        case .sqliteFile:
            let folder = try TemporaryFolder()
            let database = try await SchemaTemplate.authentication.file(folder.file("as.sqlite"))
            try await run(on: database, body)
            try await database.close()
        case .postgresql: try await SchemaTemplate.authentication.withPostgreSQL { try await run(on: misbehavingDatabase(over: $0), body) }
        }
    }

    /// The same with one application, one API, and Alice, who is logged in by session 3.
    func runWithAlice(_ body: @Sendable (ProviderStoreFixture) async throws -> Void) async throws {
        try await run { fixture in
            try await fixture.enrol(1, userID: "alice")
            try await fixture.logIn(3, as: 1)
            try await fixture.write { rows in
                try rows.save(Sample.application())
                try rows.save(Sample.protectedAPI())
            }
            try await body(fixture)
        }
    }

    private func run(on database: any Database, _ body: @Sendable (ProviderStoreFixture) async throws -> Void) async throws {
        try await database.migrate(AuthenticationSchema.migrations)
        let key = KeyEncryptionKey.random()
        let people = SQLAuthenticationStore(database: database, key: key)
        try await body(ProviderStoreFixture(store: SQLOAuthStore(database: database, key: key), people: .database(people)))
    }
}

/// The provider's store, and the people of the same database.
struct ProviderStoreFixture: Sendable {
    enum People: Sendable {
        case memory(MemoryOAuthStore)
        case database(SQLAuthenticationStore)
    }

    let store: any OAuthStore
    let people: People

    func enrol(_ account: UInt8, userID: String?, lastLogin: Instant? = nil, isBlocked: Bool = false, isHeadless: Bool = false) async throws {
        let id = Sample.accountID(account)
        switch people {
        case .memory(let store):
            store.change {
                $0.accounts[id] = MemoryPeople.Account(userID: userID)
                $0.accounts[id]?.isUsable = !isBlocked && !isHeadless
            }
        case .database(let store):
            let enrolled = Account(
                id: id, server: Sample.server, userID: userID, displayName: "", device: "Pixel", app: "Test 1.0",
                deviceKey: Sample.bytes(account, 65), instance: isHeadless ? nil : Sample.instanceID, createdAt: Sample.now,
                otpReference: UInt32(account),
                otpKey: StoredSecret(Sample.bytes(account)), state: .active, isBlocked: isBlocked, lastLogin: lastLogin)
            try await store.write { rows in try rows.save(enrolled) }
        }
    }

    static func login(_ account: UInt8, until deadline: Instant = Sample.now + 315, tokenKey: TokenKey? = nil) -> Login {
        Login(
            account: Sample.accountID(account), binding: .qrDynamic, at: Sample.now, methods: .pin, verifiedAt: Sample.now, decision: Sample.bytes(7),
            tokenKey: tokenKey, deadline: deadline, lastPing: Sample.now, lastStamp: Sample.now)
    }

    /// The session goes on, with this account; as a session of an app it has a webNonce.
    func logIn(
        _ session: UInt8, as account: UInt8, until deadline: Instant = Sample.now + 315, webNonce: [UInt8]? = nil, tokenKey: TokenKey? = nil
    ) async throws {
        let login = Self.login(account, until: deadline, tokenKey: tokenKey)
        try await save(Self.session(session, .loggedIn(login), purpose: webNonce == nil ? .login : .app), login)
        guard let webNonce, case .database(let store) = people else { return }
        try await store.write { rows in
            try rows.save(NoncePointer(server: Sample.server, hash: webNonce, kind: .web, session: Sample.sessionID(session), run: 0))
        }
    }

    func end(_ session: UInt8, of account: UInt8, at now: Instant = Sample.now) async throws {
        try await save(Self.session(session, .stopped(Self.login(account), .user, at: now), purpose: .login), nil)
    }

    private func save(_ session: Session, _ login: Login?) async throws {
        switch people {
        case .memory(let store): store.change { $0.sessions[session.id] = login }
        case .database(let store): try await store.write { rows in try rows.save(session) }
        }
    }

    private static func session(_ byte: UInt8, _ state: SessionState, purpose: SessionPurpose) -> Session {
        Session(
            id: Sample.sessionID(byte), server: Sample.server, nonceHash: Sample.bytes(byte), stream: nil, purpose: purpose, startedAt: Sample.now,
            state: state)
    }

    /// As when a person or an operator removes it; its sessions are ended besides.
    func delete(_ account: UInt8) async throws {
        let id = Sample.accountID(account)
        switch people {
        case .memory(let store): store.change { $0.accounts[id] = nil }
        case .database(let store): try await store.write { rows in try rows.markDeleted(id, of: Sample.server, at: Sample.now) }
        }
    }

    func read<Value: Sendable>(_ body: @Sendable @escaping (any OAuthRows) throws -> Value) async throws -> Value { try await store.read(body) }
    func write(_ body: @Sendable @escaping (any OAuthRows) throws -> Void) async throws { try await store.write { rows in try body(rows) } }

    /// Housekeeping of the provider's rows, where there is any.
    func removeExpired(at now: Instant) async throws { _ = try await (store as? any MomentKeeper)?.removeExpired(at: now, limit: 9) }

    /// Housekeeping of sessions, when those that are over are a day old.
    func forgetSessions() async throws {
        guard case .database(let store) = people else { return }
        _ = try await store.write { rows in try rows.removeExpired(at: Sample.now + 9 * Retention.finishedSession, limit: 9) }
    }

    /// What a look that begins finds.
    func dueLogouts(at now: Instant = Sample.now, limit: Int = 9) async throws -> [LogoutNotice] {
        try await LogoutLook().due(in: store, at: now, limit: limit)
    }

    func stands(_ grant: Grant, at now: Instant = Sample.now) async throws -> Bool {
        try await read { rows in try rows.standing(grant.id, at: now)?.grant == grant }
    }
}
