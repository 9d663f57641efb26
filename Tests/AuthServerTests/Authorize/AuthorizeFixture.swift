import Authentication
import Database
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// The authorization endpoint and the pages around it over the public router and the real rows, of which every body runs twice; a hand on the phone's side
/// of things. Three clients: an operator's own app, which has a scheme of its own, its website, and the website of somebody else.
final class AuthorizeFixture: Sendable {
    static let origin = "https://login.example"
    static let callback = "https://shop.example/cb"
    static let reports = "https://reports.example/cb?tenant=1"
    static let bye = "https://reports.example/bye"
    static let api = APIIdentifier("https://api.example/things")!
    /// A second virtual server, without accounts.
    static let other = ServerID([UInt8](repeating: 9, count: 16))!

    let clock = TestClock()
    let log = LogRecorder()
    let store: SQLAuthenticationStore
    let oauthStore: SQLOAuthStore
    let pageStore: SQLPageStore
    let oauth: OAuthServices
    let domain: AuthenticationServices
    let keyring: OneServerKeyring
    let tokenKeyring: IssuersKeyring
    let routes: AuthorizeRoutes
    private let responder: MethodRules

    var server: ServerID { keyring.keys.root.serverID }

    /// - Parameters:
    ///   - database: one that has today's schema; nil for one in memory that misbehaves.
    ///   - proxies: that are trusted; calls of the tests come without an address, as by a Unix domain socket.
    ///   - visits: requests that may wait for their person.
    init(
        url: String = AuthorizeFixture.origin, over database: (any Database)? = nil, proxies: TrustedProxies = .none,
        visits: WaitingLimit = .visits
    ) async throws {
        keyring = try OneServerKeyring()
        let server = keyring.keys.root.serverID
        let publicURL = try PublicURL(parsing: url)
        let database = if let database { database } else { try await misbehavingDatabase() }
        let key = KeyEncryptionKey.random()
        store = SQLAuthenticationStore(database: database, key: key)
        oauthStore = SQLOAuthStore(database: database, key: key)
        let addresses = ProviderAddresses(publicURL: publicURL, first: server)
        tokenKeyring = try IssuersKeyring(addresses: addresses, first: server)
        let random = SystemRandomSource()
        oauth = OAuthServices(store: oauthStore, keyring: tokenKeyring, random: random, visits: visits)
        domain = AuthenticationServices(
            store: store, keyring: keyring, gateway: AbsentSecondFactor(), events: SessionEventHub(), random: random)
        let clock = clock
        pageStore = SQLPageStore(database: database)
        let pages = PageService(store: pageStore, random: random, publicURL: publicURL)
        let pageRoutes = PageRoutes(
            domain: domain, pages: pages, visualHashes: VisualHashes(keyring: keyring), publicURL: publicURL, drain: DrainSignal(),
            tick: .milliseconds(5), logger: LogRecorder().logger(), clock: { clock.now })
        routes = AuthorizeRoutes(
            oauth: oauth, domain: domain, pages: pages, addresses: addresses, publicURL: publicURL, random: random, clock: { clock.now })
        let endpoints = OAuthRoutes(
            domain: oauth, waiting: domain.waiting, addresses: addresses, documents: ProviderDocuments(), clock: { clock.now })
        let router = Router(context: ServiceRequestContext.self)
        pageRoutes.addMiddleware(to: router)
        router.addServiceMiddleware(proxies: proxies)
        pageRoutes.add(to: router)
        routes.add(to: router)
        endpoints.add(to: router)
        responder = MethodRules(router)
        let virtual = VirtualServer(
            id: server, publicKey: keyring.keys.root.ed25519, createdAt: clock.now, parameters: ServerParameters(name: "Timesheets"))
        try await store.write { rows in try rows.save(virtual) }
        try await fill()
    }

    private func fill() async throws {
        var api = ProtectedAPI(identifier: Self.api, server: server, name: "Things")
        api.scopes = [APIScope(try #require(Scope("read")), words: "read your things"), APIScope(try #require(Scope("write")), words: "change them")]
        api.allowsOfflineAccess = true
        let made = [
            try application("app", .native, "com.example.app:/cb", isFirstParty: true),
            try application("shop", .web, Self.callback, isFirstParty: true),
            try application("reports", .web, Self.reports, isFirstParty: false),
        ]
        let protected = api
        try await oauthStore.write { rows in
            try rows.save(protected)
            for application in made { try rows.save(application) }
        }
    }

    func application(
        _ id: String, _ kind: OAuthProvider.Application.Kind, _ redirect: String, isFirstParty: Bool, at server: ServerID? = nil
    ) throws -> OAuthProvider.Application {
        var application = OAuthProvider.Application(
            id: try #require(ClientID(id)), server: server ?? self.server, kind: kind, name: id.capitalized, authentication: .none)
        application.siteURL = "https://\(id).example"
        application.isFirstParty = isFirstParty
        application.redirectURIs = [try RedirectURI(registering: redirect, ofApp: kind == .native)]
        application.postLogoutRedirectURIs = [Self.bye]
        application.apis = [Self.api: try ScopeSet(parsing: "read write")]
        application.grantTypes = [.authorizationCode, .refreshToken, .deviceCode]
        return application
    }

    /// Changes a client as its operator may.
    func change(_ client: String, _ change: @Sendable @escaping (inout OAuthProvider.Application) -> Void) async throws {
        let (id, server) = (try #require(ClientID(client)), server)
        try await oauthStore.write { rows in
            var application = try #require(try rows.application(id, of: server))
            change(&application)
            try rows.save(application)
        }
    }

    /// Says otherwise what a scope lets a client do, as the operator of the API may.
    func changeWords(of scope: String, to words: String) async throws {
        let (name, server) = (try #require(Scope(scope)), server)
        try await oauthStore.write { rows in
            var api = try #require(try rows.api(Self.api, of: server))
            api.scopes = api.scopes.map { $0.scope == name ? APIScope(name, words: words) : $0 }
            try rows.save(api)
        }
    }

    func run(_ body: @Sendable @escaping (Browser) async throws -> Void) async throws {
        try await Hummingbird.Application(responder: responder, logger: log.logger(level: .info)).test(.router) { client in
            try await body(Browser(client: client, fixture: self))
        }
    }
}

/// The keys of virtual servers, whose issuer is where its provider stands; at first there is one provider.
final class IssuersKeyring: TokenKeyring {
    private let addresses: ProviderAddresses
    private let signer: LocalSigner
    private let providers: Mutex<Set<ServerID>>

    init(addresses: ProviderAddresses, first: ServerID) throws {
        self.addresses = addresses
        signer = try LocalSigner(.es256, stored: Sample.bytes(31))
        providers = Mutex([first])
    }

    /// From now on another server has a provider, too.
    func open(_ server: ServerID) { providers.withLock { _ = $0.insert(server) } }

    func keys(of server: ServerID) async throws -> TokenKeys {
        guard providers.withLock({ $0.contains(server) }) else { throw NoProvider() }
        return TokenKeys(issuer: addresses.issuer(of: server), signers: [signer], published: JWKSet([signer.key]), secret: Sample.bytes(33))
    }
}

/// What phones and operators do.
extension AuthorizeFixture {
    @discardableResult
    func addAccount(_ userID: String = "alice") async throws -> Account {
        let random = SystemRandomSource()
        let account = Account(
            id: AccountID(using: random), server: server, userID: userID, displayName: userID, device: "Pixel 9", app: "Timesheets 1.0",
            deviceKey: [4] + random.bytes(64), instance: InstanceID(using: random), createdAt: clock.now, otpReference: random.u32(),
            otpKey: StoredSecret(random.bytes(32)), state: .active)
        try await store.write { rows in try rows.save(account) }
        return account
    }

    func session(_ nonce: SessionNonce) async throws -> Session {
        let (hash, server) = (nonce.hash, server)
        return try #require(try await store.read { rows in try rows.view(nonceHash: hash, of: server)?.session })
    }

    /// A phone confirms the login of a page, whose browser is awaited now.
    /// - Parameter methods: what proved the second factor; nothing for the device key alone.
    func approve(_ account: Account, _ nonce: SessionNonce, methods: Methods = .pin) async throws -> ReturnCode {
        let open = try await session(nonce)
        let login = Login(
            account: account.id, binding: .qrDynamic, at: clock.now, methods: methods, verifiedAt: clock.now, decision: [1],
            deadline: clock.now + 315, lastPing: clock.now, lastStamp: clock.now)
        let code = keyring.keys.derivation.returnCode(of: open.id, account: account.id, decision: login.decision)
        let moved = try open.after(.claim(account.id, .qrDynamic), at: clock.now).after(.approve(login, codeHash: code.hash), at: clock.now)
        try await store.write { rows in try rows.save(moved) }
        return code
    }

    /// The operator blocks an account.
    func block(_ account: Account) async throws {
        _ = try await domain.accounts.setBlocked(true, account.id, at: server, by: .operator, now: clock.now)
    }

    /// Whoever has the phone stops a login there.
    func stop(_ nonce: SessionNonce) async throws {
        let stopped = try await session(nonce).after(.stop(.user), at: clock.now)
        try await store.write { rows in try rows.save(stopped) }
    }

    /// What the code of an answer is exchanged for.
    func tokens(_ location: String?, client: String = "shop", redirect: String? = AuthorizeFixture.callback) async throws -> TokenResponse {
        var parameters = [
            Parameter("grant_type", "authorization_code"), Parameter("client_id", client), Parameter("code_verifier", Sample.verifier),
            Parameter("code", try #require(Browser.parameter("code", of: location))),
        ]
        if let redirect { parameters.append(Parameter("redirect_uri", redirect)) }
        let call = TokenCall(
            server: server, method: "POST", contentType: "application/x-www-form-urlencoded", parameters: parameters,
            target: try #require(HTTPTarget("\(Self.origin)/oauth/token")))
        return try await oauth.token.answer(call, at: clock.now)
    }

    /// Every row of a table.
    func count(_ table: String) async throws -> Int {
        let store = oauthStore
        return try await store.rows { rows in Int(try #require(try rows.connection.one("SELECT COUNT(*) AS n FROM \(table)")).integer("n")) }
    }
}
