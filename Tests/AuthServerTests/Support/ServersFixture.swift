import AuthServer
import Authentication
import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactorServer
import Synchronization
import Testing

@testable import AuthServer

extension AuditActor {
    /// A business backend that asks the domain itself.
    static let backend = AuditActor.api(key: "test")
}

/// An authentication server and a second-factor server, both real, each over its router and its own database, with a clock that tests move. Their
/// databases are of the engine that the test runs on, run every body twice, and lose the commits that a test wants to be lost.
struct ServersFixture: Sendable {
    static let apiKey = "a key that only the tests know"
    static let origin = "http://127.0.0.1:8080"

    let clock: TestClock
    /// How far the second-factor server's clock is from that of the authentication server and of the phones.
    let skew: Skew
    let service: AuthNode
    let secondFactor: SwitchedTransport
    /// What lies under the servers' own way to it: nothing of a test is run twice or lost.
    let database: any Database
    let secondFactorDatabase: any Database
    /// Wraps what is secret in the rows of the authentication server.
    let key: KeyEncryptionKey
    /// The servers' own ways to them.
    let commits: LosingDatabase
    let secondFactorCommits: LosingDatabase
    /// The same server started once more, over the same database.
    let start: @Sendable () async throws -> AuthNode
    let phones: any TestClientProtocol

    var server: ServerID { service.defaultServer }
    var services: AuthenticationServices { service.services }
    var now: Instant { clock.now }

    /// Builds both servers and lends them to `body`.
    /// - Parameters:
    ///   - own: a database for the authentication server, on which nothing is run twice.
    ///   - other: likewise for the second-factor server.
    ///   - keepsViews: whether the authentication server answers for logins out of memory, where its database lets it.
    ///   - auditDays: for how long its audit trail is kept; 0 for ever.
    ///   - deletedAccountDays: likewise of deleted accounts, that there were any.
    ///   - second: of a phone that waits for news; a minute where its time may not be over before they come, however busy the machine is.
    ///   - secondFactorKey: which wraps the keys of the second-factor server.
    static func run(
        database own: (any Database)? = nil, secondFactorDatabase other: (any Database)? = nil, keepsViews: Bool = true,
        drain: DrainSignal = DrainSignal(), log: LogRecorder? = nil, auditDays: UInt64 = 0,
        deletedAccountDays: UInt64 = AuthNodeSettings.usualDeletedAccountDays, second: Duration = .milliseconds(20),
        secondFactorKey: KeyEncryptionKey = .random(), _ body: @Sendable @escaping (ServersFixture) async throws -> Void
    ) async throws {
        let database: any Database = if let own { own } else { try await SchemaTemplate.authentication.ofEngine() }
        let secondFactorDatabase: any Database = if let other { other } else { try await SchemaTemplate.secondFactor.ofEngine() }
        let commits =
            own.map { LosingDatabase($0, tellsChanges: keepsViews) } ?? misbehavingDatabase(over: database, tellsChanges: keepsViews)
        let secondFactorCommits = other.map { LosingDatabase($0) } ?? misbehavingDatabase(over: secondFactorDatabase)
        let (clock, skew) = (TestClock(), Skew())
        let now: @Sendable () -> Instant = { clock.now }
        let key = KeyEncryptionKey.random()
        var logger = log?.logger(level: .info) ?? Logger(label: "test")
        if log == nil { logger.logLevel = .critical }
        let identity = try await AuthNode.identityHash(database: commits, keyEncryptionKey: key, logger: logger, clock: now)
        let secondFactor = try await SecondFactorNode(
            settings: SecondFactorNodeSettings(trustedRoots: [identity]), database: secondFactorCommits, keyEncryptionKey: secondFactorKey,
            logger: logger, readinessLimit: .patientReadiness, clock: { skew.moment(by: clock) })
        let quiet = logger
        try await Application(router: secondFactor.router, logger: quiet).test(.router) { secondFactorClient in
            let transport = SwitchedTransport(client: secondFactorClient)
            let start = { @Sendable () async throws -> AuthNode in
                try await AuthNode(
                    .ofTests(pinning: secondFactor.identityHash, auditDays: auditDays, deletedAccountDays: deletedAccountDays), over: commits,
                    key: key, secondFactor: transport, by: clock, logger: quiet, drain: drain, second: second)
            }
            let service = try await start()
            try await Application(router: service.publicRouter, logger: quiet).test(.router) { phones in
                try await body(
                    ServersFixture(
                        clock: clock, skew: skew, service: service, secondFactor: transport, database: database,
                        secondFactorDatabase: secondFactorDatabase, key: key, commits: commits, secondFactorCommits: secondFactorCommits,
                        start: start, phones: phones))
            }
        }
    }

    /// What a phone's bytes are answered with.
    func post(_ bytes: [UInt8]) async throws -> (status: HTTPResponse.Status, body: [UInt8]) {
        try await phones.execute(uri: "/ap1", method: .post, body: ByteBuffer(bytes: bytes)) { response in
            (response.status, Array(buffer: response.body))
        }
    }

    func get(_ path: String) async throws -> (status: HTTPResponse.Status, body: [UInt8]) {
        try await phones.execute(uri: path, method: .get) { response in (response.status, Array(buffer: response.body)) }
    }

    func bundle() async throws -> VerifiedBundle {
        let answer = try await get("/ap1/bundle/\(Base64URL.encode(service.identityHash))")
        #expect(answer.status == .ok)
        return try VerifiedBundle.verify(Encoded(decoding: answer.body), rootHash: service.identityHash, at: now)
    }

    /// A nonce as a business backend makes one.
    func nonce() throws -> SessionNonce { try SessionNonce(Base64URL.encode(SystemRandomSource().bytes(16))) }

    func status(of nonce: SessionNonce) async throws -> LoginStatus { try await services.sessions.status(of: nonce, at: server, now: now) }

    func update(_ change: (inout ServerUpdate) -> Void) async throws {
        var update = ServerUpdate()
        change(&update)
        _ = try await services.servers.update(server, with: update, by: .backend, at: now)
    }

    /// Every row of every table of the authentication server, to show that something changed nothing.
    func snapshot() async throws -> [String] {
        try await database.read { [database] connection in
            try connection.tables(of: database.dialect).flatMap { name in
                try connection.query("SELECT * FROM \(name)").map { "\(name): \($0.values)" }.sorted()
            }
        }
    }
}

/// The second-factor server's router as a transport that tests can cut, listen to and bend.
final class SwitchedTransport: SecondFactorTransport {
    private struct State {
        var isDown = false
        /// Answers that get lost after the second-factor server did its work.
        var answersToLose = 0
        var calls = 0
        var unclearRefusals = 0
        var bend: (@Sendable ([UInt8]) -> [UInt8])?
        var invent: (@Sendable ([UInt8]) throws -> [UInt8]?)?
        var listen: (@Sendable ([UInt8]) -> Void)?
    }

    let client: any TestClientProtocol
    private let state = Mutex(State())

    init(client: any TestClientProtocol) { self.client = client }

    var isDown: Bool {
        get { state.withLock(\.isDown) }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// How many calls reached the second-factor server.
    var calls: Int { state.withLock(\.calls) }

    /// How many of them were refused by something else than 503 and a time to come back.
    var unclearRefusals: Int { state.withLock(\.unclearRefusals) }

    func loseAnswers(_ count: Int) { state.withLock { $0.answersToLose = count } }

    /// Changes each answer on its way.
    func bend(_ bend: (@Sendable ([UInt8]) -> [UInt8])?) { state.withLock { $0.bend = bend } }

    /// Answers calls in the place of the second-factor server, which hears nothing of them; of nil it hears, and answers itself.
    func invent(_ invent: (@Sendable ([UInt8]) throws -> [UInt8]?)?) { state.withLock { $0.invent = invent } }

    /// Hears each call.
    func listen(_ listen: (@Sendable ([UInt8]) -> Void)?) { state.withLock { $0.listen = listen } }

    /// How a call of somebody else is answered.
    func answer(to bytes: [UInt8]) async throws -> (status: Int, body: [UInt8]) {
        try await client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: bytes)) { ($0.status.code, Array(buffer: $0.body)) }
    }

    func identity() async throws -> [UInt8] {
        guard !isDown else { throw SecondFactorUnreachable() }
        return try await client.execute(uri: "/sf/identity", method: .get) { Array(buffer: $0.body) }
    }

    func call(_ bytes: [UInt8]) async throws -> [UInt8] {
        guard !isDown else { throw SecondFactorUnreachable() }
        state.withLock(\.listen)?(bytes)
        if let invented = try state.withLock(\.invent)?(bytes) { return invented }
        let answer = try await client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: bytes)) { response in
            (response.status, Array(buffer: response.body), response.headers[.retryAfter] != nil)
        }
        let isClear = answer.0 == .ok || (answer.0 == .serviceUnavailable && answer.2)
        let (isLost, bend) = state.withLock { state in
            state.calls += 1
            if !isClear { state.unclearRefusals += 1 }
            defer { state.answersToLose = max(0, state.answersToLose - 1) }
            return (state.answersToLose > 0, state.bend)
        }
        guard answer.0 == .ok, !isLost else { throw SecondFactorUnreachable() }
        return bend?(answer.1) ?? answer.1
    }
}
