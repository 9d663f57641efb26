import Authentication
import Crypto
import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import Synchronization

@testable import AuthServer

/// The REST API and the pages over the domain in memory, with one virtual server, a clock to turn and a hand on the phone's side of things.
final class PagesFixture: Sendable {
    static let key = "a key that only this test knows"
    static let nonce = "n0nce-of-the-business-backend"

    let store = MemoryStore()
    /// How often the routes asked the store.
    let questions = Questions()
    let events = SessionEventHub()
    let clock = TestClock()
    let drain = DrainSignal()
    let keyring: OneServerKeyring
    let publicURL: PublicURL
    let pageStore: SQLPageStore
    let adminResponder: MethodRules
    let publicResponder: MethodRules
    /// The same at a port, for tests of connections.
    let publicListener: Listener
    /// The rows of the provider, and those of accounts and sessions beside them.
    let oauthStore: SQLOAuthStore
    let people: SQLAuthenticationStore
    let adminRoutes: AdminRoutes
    let pageRoutes: PageRoutes
    /// What an operator reads of the streams.
    let log = LogRecorder()

    var serverID: ServerID { keyring.keys.root.serverID }

    init(url: String = "https://login.example", tick: Duration = .milliseconds(5)) async throws {
        keyring = try OneServerKeyring()
        publicURL = try PublicURL(parsing: url)
        let database = try await misbehavingDatabase()
        try await database.migrate(AuthenticationSchema.migrations)
        pageStore = SQLPageStore(database: database)
        let key = KeyEncryptionKey.random()
        oauthStore = SQLOAuthStore(database: database, key: key)
        people = SQLAuthenticationStore(database: database, key: key)
        let registry = RegistryService(store: oauthStore, random: SystemRandomSource())
        let (clock, store, keyring, events) = (clock, store, keyring, events)
        let now: @Sendable () -> Instant = { clock.now }
        let tokenKeys = SQLTokenKeyring(database: database, key: key, random: SystemRandomSource(), issuer: { _ in url }, clock: now)
        let domain = AuthenticationServices(
            store: QuestionedStore(store: store, questions: questions), keyring: keyring, gateway: AbsentSecondFactor(), events: events,
            random: SystemRandomSource())
        let pages = PageService(store: pageStore, random: SystemRandomSource(), publicURL: publicURL)
        let hashes = VisualHashes(keyring: keyring)
        adminRoutes = AdminRoutes(
            domain: domain, registry: registry, tokenKeys: tokenKeys,
            tokenServices: ServiceSettings(.token, store: store, random: SystemRandomSource()),
            dataServices: ServiceSettings(.data, store: store, random: SystemRandomSource()), pages: pages, visualHashes: hashes,
            publicURL: publicURL, clock: now)
        let adminRouter = Router(context: ServiceRequestContext.self)
        adminRouter.addServiceMiddleware()
        adminRoutes.add(to: adminRouter, keyHash: SHA(Self.key.utf8))
        adminResponder = MethodRules(adminRouter)
        let publicRouter = Router(context: ServiceRequestContext.self)
        pageRoutes = PageRoutes(
            domain: domain, pages: pages, visualHashes: hashes, publicURL: publicURL, drain: drain, tick: tick, logger: log.logger(level: .info),
            clock: now)
        pageRoutes.addMiddleware(to: publicRouter)
        publicRouter.addServiceMiddleware()
        pageRoutes.add(to: publicRouter)
        publicResponder = MethodRules(publicRouter)
        publicListener = Listener("public", at: ListenAddress(host: "127.0.0.1", port: 0), router: publicRouter)
        let id = keyring.keys.root.serverID
        let server = VirtualServer(
            id: id, publicKey: keyring.keys.root.ed25519, createdAt: clock.now, parameters: ServerParameters(name: "Timesheets"))
        try await store.write { rows in try rows.save(server) }
        // Keys of tokens stand in the database, beside their server.
        try await people.write { rows in try rows.save(server) }
        // Which are made only where those are that never end.
        try await database.transaction { connection, _ in
            for kind in [KeyKind.root, .sid] {
                let name = KeyRow.ID(server: id, kind: kind.name, id: [])
                let row = KeyRow(key: name, wrapped: [1], certificate: nil, notBefore: server.createdAt, notAfter: server.createdAt)
                try SQLKeyRows(connection).save(row)
            }
        }
    }
}

/// How far a second clock is from the first, in seconds.
final class Skew: Sendable {
    private let seconds = Mutex<Int64>(0)

    var value: Int64 {
        get { seconds.withLock { $0 } }
        set { seconds.withLock { $0 = newValue } }
    }

    func moment(by clock: TestClock) -> Instant {
        let skew = value
        return skew < 0 ? clock.now - skew.magnitude : clock.now + skew.magnitude
    }
}

/// The keys of the one server.
struct OneServerKeyring: ServerKeyring {
    let keys: ServerKeys

    init() throws {
        let random = SystemRandomSource()
        let operatorKey = try OperatorKey(seed: random.bytes(32))
        let root = try RootKey(seed: random.bytes(32), serverID: ServerID(using: random))
        let certificate = root.certify(operatorKey, from: Instant(0), until: Instant(4_000_000_000))
        keys = ServerKeys(
            chain: Encoded(ServerChain(root: root.root, certificates: [certificate])), operatorKey: operatorKey, sidKey: random.bytes(32))
    }

    func keys(of server: ServerID) async throws -> ServerKeys {
        guard server == keys.root.serverID else { throw UnknownServer() }
        return keys
    }
}

/// A second-factor server that is never there.
struct AbsentSecondFactor: SecondFactorGateway {
    func identity() async throws -> VerifiedSecondFactor { throw SecondFactorUnreachable() }
    func refreshedIdentity() async throws -> VerifiedSecondFactor { throw SecondFactorUnreachable() }
    func call(_ call: SecondFactorCall) async throws -> [UInt8] { throw SecondFactorUnreachable() }
}
