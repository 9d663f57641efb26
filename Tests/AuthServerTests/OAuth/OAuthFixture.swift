import Authentication
import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Synchronization
import Testing

@testable import AuthServer

/// Token keys of a test, which it may change, of the first server; an issuer for each, as addresses have it.
final class OAuthFixtureKeyring: TokenKeyring {
    private let issuer: @Sendable (ServerID) -> String
    private let signers: Mutex<[any TokenSigner]>
    private let providers = Mutex<Set<ServerID>>([Sample.server])
    private let failure = Mutex<SQLError?>(nil)

    init(issuer: @Sendable @escaping (ServerID) -> String) throws {
        self.issuer = issuer
        signers = Mutex([try LocalSigner(.es256, stored: Sample.bytes(31))])
    }

    /// From now on another server has a provider, too.
    func open(_ server: ServerID) { providers.withLock { _ = $0.insert(server) } }

    /// From now on there are no keys to be had; nil ends that.
    func fail(with error: SQLError?) { failure.withLock { $0 = error } }

    /// The newest first.
    func rotate(_ new: LocalSigner) { signers.withLock { $0.insert(new, at: 0) } }

    func keys(of server: ServerID) async throws -> TokenKeys {
        if let failure = failure.withLock({ $0 }) { throw failure }
        guard providers.withLock({ $0.contains(server) }) else { throw NoProvider() }
        let signers = signers.withLock { $0 }
        return TokenKeys(issuer: issuer(server), signers: signers, published: JWKSet(signers.map(\.key)), secret: Sample.bytes(33))
    }
}

/// The provider's endpoints over their router and the real store, of which every body runs twice: three clients, one API, and Alice, who is logged in by
/// session 3.
struct OAuthFixture: Sendable {
    static let origin = "https://login.example"
    /// A second virtual server, without applications until a test makes some.
    static let other = ServerID(Sample.bytes(2, 16))!
    static let secret = "a secret: with a colon & more"

    let clock = TestClock(Sample.now + 30)
    let log = LogRecorder()
    let keyring: OAuthFixtureKeyring
    let people: ProviderStoreFixture
    let addresses: ProviderAddresses
    private let responder: MethodRules

    var store: any OAuthStore { people.store }
    var now: Instant { clock.now }

    /// - Parameters:
    ///   - database: one that has today's schema; nil for one in memory that misbehaves.
    ///   - proxies: that are trusted; calls of the tests come without an address, as by a Unix domain socket.
    ///   - devices: codes that may wait.
    ///   - key: of the database.
    ///   - isFirst: whether it makes what is in it; another node finds it there.
    init(
        over database: (any Database)? = nil, asksNonce: Bool = false, proxies: TrustedProxies = .none, devices: WaitingLimit = .devices,
        key: KeyEncryptionKey = .random(), isFirst: Bool = true
    ) async throws {
        let database = if let database { database } else { try await misbehavingDatabase() }
        let accounts = SQLAuthenticationStore(database: database, key: key)
        let documents = ProviderDocuments(over: database)
        people = ProviderStoreFixture(store: SQLOAuthStore(database: database, key: key, audited: documents.note), people: .database(accounts))
        let addresses = ProviderAddresses(publicURL: try PublicURL(parsing: Self.origin), first: Sample.server)
        self.addresses = addresses
        keyring = try OAuthFixtureKeyring { addresses.issuer(of: $0) }
        let domain = OAuthServices(store: people.store, keyring: keyring, random: SystemRandomSource(), devices: devices)
        let clock = clock
        let waiting = WaitingLogins(store: accounts, keyring: SampleServerKeyring(keys: try OneServerKeyring().keys), events: SessionEventHub())
        let routes = OAuthRoutes(
            domain: domain, waiting: waiting, addresses: addresses, documents: documents, asksNonce: asksNonce, clock: { clock.now })
        let router = Router(context: ServiceRequestContext.self)
        router.add(middleware: PagePolicy(isSecure: true))
        router.addServiceMiddleware(proxies: proxies, outages: SQLError.isOutage)
        routes.add(to: router)
        responder = MethodRules(router)
        guard isFirst else { return }
        try await people.enrol(1, userID: "alice")
        try await people.logIn(3, as: 1)
        try await fill()
    }

    func run(_ body: @Sendable @escaping (OAuthClient) async throws -> Void) async throws {
        try await Hummingbird.Application(responder: responder, logger: log.logger(level: .info)).test(.router) { client in
            try await body(OAuthClient(client: client, fixture: self))
        }
    }

    /// The second server becomes a provider, too, at which a client of the same name is registered.
    func addOther() async throws {
        var application = OAuthProvider.Application(id: Sample.client, server: Self.other, kind: .native, name: "Shop", authentication: .none)
        application.grantTypes = [.authorizationCode, .refreshToken]
        let saved = application
        try await people.write { rows in try rows.save(saved) }
        keyring.open(Self.other)
    }

    private func fill() async throws {
        let applications = [Sample.application(), try website(), try machine()]
        try await people.write { rows in
            try rows.save(Sample.protectedAPI())
            for application in applications { try rows.save(application) }
        }
    }

    /// A third party's, with a secret.
    private func website() throws -> OAuthProvider.Application {
        let name = try #require(ClientID("web-1"))
        var application = OAuthProvider.Application(id: name, server: Sample.server, kind: .web, name: "Reports", authentication: .basic)
        application.redirectURIs = [try RedirectURI(registering: "https://reports.example/cb", ofApp: false)]
        application.postLogoutRedirectURIs = ["https://reports.example/bye"]
        application.secrets = [ClientSecret(hash: ClientSecret.hash(of: Self.secret), expiresAt: nil)]
        application.apis = [Sample.api: Sample.scopes("read")]
        application.grantTypes = [.authorizationCode, .refreshToken, .backchannel]
        application.backchannel = .poll
        application.serves = [Sample.api]
        return application
    }

    /// Shows who it is by an assertion.
    private func machine() throws -> OAuthProvider.Application {
        let name = try #require(ClientID("batch"))
        var application = OAuthProvider.Application(id: name, server: Sample.server, kind: .machine, name: "Batch", authentication: .privateKeyJWT)
        application.keys = JWKSet([try LocalSigner(.es256, stored: Sample.bytes(61)).key])
        application.apis = [Sample.api: Sample.scopes("read write")]
        application.grantTypes = [.clientCredentials]
        return application
    }

    func change(_ id: ClientID = Sample.client, _ change: @Sendable @escaping (inout OAuthProvider.Application) -> Void) async throws {
        try await people.write { rows in
            var application = try #require(try rows.application(id, of: Sample.server))
            change(&application)
            try rows.save(application)
        }
    }

    /// A code of Alice's for the app, as the authorization endpoint gives it.
    func code(_ byte: UInt8 = 5, offline: Bool = false, boundKey: Thumbprint? = nil) async throws -> (text: String, grant: Grant) {
        let grant = Sample.grant(byte, on: 3, of: 1, offline: offline)
        let sample = try Sample.code(byte, for: grant)
        let expiresAt = now + AuthorizationCode.life
        try await people.write { rows in
            try rows.save(grant)
            try rows.save(
                AuthorizationCode(
                    hash: sample.hash, server: sample.server, client: sample.client, grant: grant.id, redirectURI: "com.example.shop:/cb",
                    challenge: sample.challenge, boundKey: boundKey, expiresAt: expiresAt))
        }
        return ("code-\(byte)", grant)
    }
}

extension OAuthFixture {
    static func assertion(
        at now: Instant, audience: String = OAuthFixture.origin, id: String = "assertion-1", life: UInt64 = 60
    ) throws -> String {
        let claims = OstiaryTokens.JSONObject([
            "iss": .string("batch"), "sub": .string("batch"), "aud": .string(audience), "jti": .string(id),
            "iat": .integer(Int64(now.seconds)), "exp": .integer(Int64((now + life).seconds)),
        ])
        return try LocalSigner(.es256, stored: Sample.bytes(61)).sign(claims, as: .clientAssertion)
    }

    /// What a proof of possession says; a test makes one of it wrong.
    struct Proof {
        var type = "dpop+jwt"
        var algorithm = "ES256"
        var method = "POST"
        var address = OAuthFixture.origin + "/oauth/token"
        var id: String? = "proof-1"
        /// Seconds before the present.
        var age: Int64 = 0
        var nonce: String?
        var accessToken: String?
        var key: UInt8 = 51
        var tellsPrivateKey = false

        func text(at now: Instant) throws -> String {
            let signer = try LocalSigner(.es256, stored: Sample.bytes(key))
            var jwk = signer.key.json
            for name in ["use", "alg", "kid"] { jwk[name] = nil }
            if tellsPrivateKey { jwk["d"] = .string(Base64URL.encode(Sample.bytes(key))) }
            let claims = OstiaryTokens.JSONObject([
                "jti": id.map { .string($0) }, "htm": .string(method), "htu": .string(address), "iat": .integer(Int64(now.seconds) - age),
                "ath": accessToken.map { .string(Base64URL.encode(SHA($0.utf8))) }, "nonce": nonce.map { .string($0) },
            ])
            return try signer.sign(
                claims, header: OstiaryTokens.JSONObject(["typ": .string(type), "alg": .string(algorithm), "jwk": .object(jwk)]))
        }
    }

    /// Of the key that proofs are by.
    static func thumbprint(_ key: UInt8 = 51) throws -> Thumbprint { try LocalSigner(.es256, stored: Sample.bytes(key)).key.thumbprint }
}

/// The keys of one server, under the name that samples have.
private struct SampleServerKeyring: ServerKeyring {
    let keys: ServerKeys

    func keys(of server: ServerID) async throws -> ServerKeys { keys }
}
