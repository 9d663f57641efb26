import Authentication
import OAuthProvider
import OstiaryProtocol
import OstiaryTesting
import OstiaryTokens
import Testing

/// A provider over a store in memory, with the company of the reference scenario: one API, its applications, an employee and a manager.
struct ProviderFixture: Sendable {
    static let start = Instant(1_800_000_000)
    static let issuer = "https://login.example"
    static let tokenEndpoint = "https://login.example/oauth/token"
    static let callback = "https://app.example/callback"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let secret = "web-secret-web-secret-web-secret-web"
    static let server = identifier(8, ServerKind.self)
    static let alice = identifier(1, AccountKind.self)
    static let manager = identifier(2, AccountKind.self)
    static let session = identifier(21, SessionKind.self)

    let memory: MemoryOAuthStore
    let store: any OAuthStore
    let keyring: FixtureTokenKeyring
    let random = SeededRandom("provider")
    let clock = TestClock(start)
    let timesheets: APIIdentifier

    static func identifier<Kind>(_ number: UInt8, _: Kind.Type) -> Identifier<Kind> {
        guard let id = Identifier<Kind>([UInt8](repeating: number, count: 16)) else { preconditionFailure("sixteen bytes are an id") }
        return id
    }

    /// - Parameters:
    ///   - rerunning: whether each body that writes runs once more in its own transaction, as after a commit that nobody heard of.
    ///   - signers: for algorithms beside ES256 and EdDSA.
    init(rerunning: Bool = false, signers: [LocalSigner] = []) async throws {
        memory = MemoryOAuthStore()
        store = rerunning ? RerunningOAuthStore(store: memory) : memory
        keyring = try FixtureTokenKeyring(more: signers)
        timesheets = try #require(APIIdentifier("https://api.example.com/timesheets"))
        try await fill()
    }

    var now: Instant { clock.now }
    var services: OAuthServices { OAuthServices(store: store, keyring: keyring, random: random) }
    var authorize: AuthorizeService { services.authorize }
    var approval: PolledApproval { services.approval }
}

/// What there is.
extension ProviderFixture {
    static func scope(_ text: String) -> ScopeSet { (try? ScopeSet(parsing: text)) ?? [] }

    static let apiScopes = scope("read:timesheets create:timesheets delete:timesheets approve:timesheets batch:upload")

    private func fill() async throws {
        var api = ProtectedAPI(identifier: timesheets, server: Self.server, name: "Timesheets")
        api.scopes = Self.apiScopes.scopes.map { APIScope($0, words: "do “\($0)”") }
        api.allowsOfflineAccess = true
        api.checksPermissions = true
        let saved = api
        let applications = [try mobile(), try web(), try batch()]
        let roles = [
            Role(
                server: Self.server, name: "Employee",
                permissions: [timesheets: Self.scope("read:timesheets create:timesheets delete:timesheets")]),
            Role(server: Self.server, name: "Manager", permissions: [timesheets: Self.scope("approve:timesheets read:timesheets")]),
        ]
        let users = [Self.user("alice", "Alice", "Employee"), Self.user("mary", "Mary", "Manager")]
        try await store.write { rows in
            try rows.save(saved)
            for application in applications { try rows.save(application) }
            for role in roles { try rows.save(role) }
            for user in users { try rows.save(user) }
        }
        memory.change { people in
            people.accounts = [Self.alice: MemoryPeople.Account(userID: "alice"), Self.manager: MemoryPeople.Account(userID: "mary")]
            people.sessions = [Self.session: Self.login()]
        }
    }

    private static func user(_ id: String, _ name: String, _ role: String) -> ProviderUser {
        let profile = ProfileClaims(name: name, picture: "https://pictures.example/\(id)", email: "\(id)@example.com", isEmailVerified: true)
        return ProviderUser(server: server, userID: id, profile: profile, roles: [role])
    }

    func setRoles(_ roles: Set<String>, of userID: String) async throws {
        try await memory.write { rows in
            var user = try #require(try rows.user(userID, of: Self.server))
            user.roles = roles
            try rows.save(user)
        }
    }

    func client(_ id: String) throws -> ClientID { try #require(ClientID(id)) }

    /// Native and public, first party.
    private func mobile() throws -> Application {
        var application = Application(id: try client("mobile"), server: Self.server, kind: .native, name: "Timesheets Mobile", authentication: .none)
        application.isFirstParty = true
        application.redirectURIs = [try RedirectURI(registering: Self.callback, ofApp: true)]
        application.apis = [timesheets: Self.scope("read:timesheets create:timesheets delete:timesheets approve:timesheets")]
        application.grantTypes = [.authorizationCode, .refreshToken, .deviceCode, .tokenExchange]
        return application
    }

    /// A third party's website with a secret.
    private func web() throws -> Application {
        var application = Application(id: try client("web"), server: Self.server, kind: .web, name: "Reports", authentication: .basic)
        application.redirectURIs = [try RedirectURI(registering: "https://reports.example/cb?tenant=1", ofApp: false)]
        application.postLogoutRedirectURIs = ["https://reports.example/bye"]
        application.secrets = [ClientSecret(hash: ClientSecret.hash(of: Self.secret), expiresAt: nil)]
        application.apis = [timesheets: Self.scope("read:timesheets")]
        application.grantTypes = [.authorizationCode, .refreshToken, .backchannel, .deviceCode]
        application.backchannel = .poll
        return application
    }

    private func batch() throws -> Application {
        var application = Application(id: try client("batch"), server: Self.server, kind: .machine, name: "Batch", authentication: .basic)
        application.secrets = [ClientSecret(hash: ClientSecret.hash(of: "batch-secret"), expiresAt: nil)]
        application.apis = [timesheets: Self.scope("batch:upload")]
        application.serves = [timesheets]
        application.grantTypes = [.clientCredentials]
        return application
    }

    func change(_ id: String, _ change: @Sendable @escaping (inout Application) throws -> Void) async throws {
        let id = try client(id)
        try await memory.write { rows in
            var application = try #require(try rows.application(id, of: Self.server))
            try change(&application)
            try rows.save(application)
        }
    }

    func changeAPI(_ change: @Sendable @escaping (inout ProtectedAPI) -> Void) async throws {
        let timesheets = timesheets
        try await memory.write { rows in
            var api = try #require(try rows.api(timesheets, of: Self.server))
            change(&api)
            try rows.save(api)
        }
    }
}
