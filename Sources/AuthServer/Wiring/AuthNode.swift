import Authentication
import Database
import HTTPService
import Hummingbird
import Logging
import OAuthProvider
import OstiaryProtocol
import ServiceLifecycle

/// An authentication server: its routers, its identity and what runs beside them. Two can live in one process on two databases.
package struct AuthNode: Sendable {
    /// What phones and second-factor servers pin: the hash of the default virtual server's root, 32 bytes.
    package let identityHash: [UInt8]
    /// The virtual server that was made on the first start.
    package let defaultServer: ServerID
    package let services: AuthenticationServices
    /// The OpenID Connect provider of each virtual server that has applications or APIs.
    package let provider: OAuthServices
    /// What an operator says of the services behind virtual servers: of those that give tokens, and of those that answer devices.
    package let tokenServices: ServiceSettings
    package let dataServices: ServiceSettings
    /// Renews keys, ends what ran out, tells the second-factor server, until the program stops: of several nodes on one database one at a time.
    package let background: [any Service]
    private let bundles: BundleMaker
    private let dispatch: AP1Dispatch
    private let pages: PageRoutes
    private let oauth: OAuthRoutes
    private let authorize: AuthorizeRoutes
    private let admin: AdminRoutes
    private let health: HealthRoutes
    private let apiKeyHash: [UInt8]
    private let readsAtOnce: Bool
    /// Faults that pass by themselves or by an operator's hand.
    private let isOutage: @Sendable (any Error) async -> Bool
    /// What the log says of a fault.
    private let told: @Sendable (any Error) -> any Error
    /// Whether logins are answered out of memory: where no other process has the database (docs/decisions/0061).
    let keepsViews: Bool
    private let trustedProxies: TrustedProxies
    private let untrustedForwarding: UntrustedForwarding
    /// Once the listeners are open: puts name and logo of the settings into the database, where they are new. Not before: a start that fails, because
    /// its port is taken for example, would undo what the REST API has said, and the next one would find the setting changed once more.
    /// - Throws: `SQLError`.
    package let applySettings: @Sendable () async throws -> Void

    /// Migrates the database, makes the default virtual server if there is none, and looks whether the second-factor server is the right one.
    /// - Parameters:
    ///   - rootKey: of `--root-key`: the file that wraps the root keys, apart from all others.
    ///   - events: hands news to those who wait; nil for what the database has: between its nodes, or within this process.
    ///   - second: one second of waiting for news and of page updates; less in tests.
    ///   - readinessLimit: how long one readiness check may take; more in tests, where a busy machine is no fault.
    ///   - stepPatience: how the steps of the schema wait, and who is told of it.
    ///   - clock: asked for each request.
    /// - Throws: `DatabaseOpenError`, ``ServerKeyError``, ``OwnIdentityPinned``, ``SecondFactorIdentityError`` when another second-factor server
    ///   answers, `SQLError`.
    package init(
        settings: AuthNodeSettings, database: any Database, keyEncryptionKey: KeyEncryptionKey, rootKey: KeyEncryptionKey? = nil,
        secondFactor: any SecondFactorTransport, events own: (any SessionEvents)? = nil, random: any RandomSource = SystemRandomSource(),
        logger: Logger, drain: DrainSignal = DrainSignal(), second: Duration = .seconds(1), readinessLimit: Duration = HealthRoutes.limit,
        stepPatience: StepPatience = StepPatience(), clock: @Sendable @escaping () -> Instant
    ) async throws {
        let events = own ?? Self.events(between: database, key: keyEncryptionKey, random: random)
        let core = try await AuthNodeCore(
            settings: settings, database: database, keyEncryptionKey: keyEncryptionKey, rootKey: rootKey, secondFactor: secondFactor, events: events,
            random: random, logger: logger, readinessLimit: readinessLimit, stepPatience: stepPatience, clock: clock)
        let (services, server, clock) = (core.services, core.server, core.clock)
        applySettings = { try await Self.apply(settings, in: database, to: server.id, with: services.servers, at: clock()) }
        self.services = services
        provider = core.provider
        tokenServices = ServiceSettings(.token, store: core.store, random: random)
        dataServices = ServiceSettings(.data, store: core.store, random: random)
        defaultServer = server.id
        identityHash = try core.vault.rootHash(of: server.id)
        apiKeyHash = settings.apiKey.hash
        readsAtOnce = database.readsAtOnce
        isOutage = { [vault = core.vault] error in
            if SQLError.isOutage(error) { return true }
            return ServerKeyError.isOutage(await vault.looked(at: error))
        }
        told = { [vault = core.vault] error in database.told(vault.told(error)) }
        keepsViews = core.store.keepsViews
        trustedProxies = settings.trustedProxies
        untrustedForwarding = UntrustedForwarding(logger: logger, setting: SettingKey.trustedProxies.variable)
        bundles = BundleMaker(
            vault: core.vault, servers: services.servers, gateway: core.gateway, publicURL: settings.publicURL.description, clock: clock)
        let poll = LongPoll(events: events, drain: drain, second: second, clock: clock)
        let codes = DeviceCodes(
            verifications: services.verifications, provider: provider, addresses: core.addresses, texts: PageTexts())
        let behind = ServicesBehind(store: core.store, gateway: HTTPServicesBehind(logger: logger), clock: clock)
        dispatch = AP1Dispatch(
            vault: core.vault, bundles: bundles, features: AP1Features(domain: services, poll: poll, codes: codes, behind: behind), clock: clock)
        let pageService = PageService(store: core.pageStore, random: random, publicURL: settings.publicURL)
        let visualHashes = VisualHashes(keyring: core.vault)
        pages = PageRoutes(
            domain: services, pages: pageService, visualHashes: visualHashes, publicURL: settings.publicURL, drain: drain, tick: second,
            logger: logger, clock: clock)
        oauth = OAuthRoutes(
            domain: provider, waiting: services.waiting, addresses: core.addresses, documents: core.documents, asksNonce: settings.asksProofNonces,
            clock: clock)
        authorize = AuthorizeRoutes(
            oauth: provider, domain: services, pages: pageService, addresses: core.addresses, publicURL: settings.publicURL, random: random,
            clock: clock)
        admin = AdminRoutes(
            domain: services, registry: RegistryService(store: core.oauthStore, random: random), tokenKeys: core.tokenKeyring,
            tokenServices: tokenServices, dataServices: dataServices, pages: pageService, visualHashes: visualHashes, publicURL: settings.publicURL,
            clock: clock)
        health = core.health(drain: drain, limit: readinessLimit)
        background = core.background(holder: random.bytes(16)) + [health.watch(logger: logger)]
    }

    /// The identity that `--print-identity` prints: makes the keys if there are none and needs no other server.
    package static func identityHash(
        database: any Database, keyEncryptionKey: KeyEncryptionKey, rootKey: KeyEncryptionKey? = nil, serverName: String? = nil,
        random: any RandomSource = SystemRandomSource(), logger: Logger, stepPatience: StepPatience = StepPatience(),
        clock: @Sendable @escaping () -> Instant
    ) async throws -> [UInt8] {
        try await database.migrate(AuthenticationSchema.migrations, patience: stepPatience)
        let vault = ServerVault(
            database: database, key: keyEncryptionKey, rootKey: rootKey, random: random, audited: AuditLog(logger: logger).write, clock: clock)
        return try await vault.openedIdentity(name: serverName ?? AuthNodeSettings.defaultServerName)
    }

    /// For phones and browsers.
    package var publicRouter: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        pages.addMiddleware(to: router)
        router.addServiceMiddleware(proxies: trustedProxies, untrusted: untrustedForwarding, outages: isOutage, told: told)
        AP1Routes(dispatch: dispatch, bundles: bundles, servers: services.servers).add(to: router)
        pages.add(to: router)
        oauth.add(to: router)
        authorize.add(to: router)
        return router
    }

    /// For business backends and operators: health without a key, everything else with one.
    package var adminRouter: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: ServiceLimits(body: AdminRequest.bodyLimit), outages: isOutage, told: told)
        health.add(to: router)
        admin.add(to: router, keyHash: apiKeyHash)
        return router
    }

    /// What the listener of ``adminRouter`` may answer before it; nil where the database looks nothing up at once.
    package var earlyAnswer: EarlyAnswer? { readsAtOnce ? admin.early(keyHash: apiKeyHash) : nil }

    private static func events(between database: any Database, key: KeyEncryptionKey, random: any RandomSource) -> any SessionEvents {
        guard let announcements = database.announcements else { return SessionEventHub() }
        return SharedSessionEvents(over: announcements, key: key, random: random)
    }

    /// A name or logo that the operator has set since the last start is new, and wins. One that was applied before is not: what the REST API said after
    /// it stays.
    private static func apply(
        _ settings: AuthNodeSettings, in database: any Database, to server: ServerID, with servers: ServerService, at now: Instant
    ) async throws {
        let parameters = try await servers.virtualServer(server).parameters
        let applied = AppliedSettings(database: database)
        let name = settings.serverName.map { Array($0.utf8) }
        var update = ServerUpdate()
        if let name, try await applied.isNew(name, of: .serverName) { update.name = settings.serverName }
        if let logo = settings.serverLogo, try await applied.isNew(logo, of: .serverLogo) { update.logo = logo }
        if update.name == parameters.name { update.name = nil }
        if update.logo == parameters.logo?.bytes { update.logo = nil }
        if update != ServerUpdate() { _ = try await servers.update(server, with: update, by: .operator, at: now) }
        // Last: a start that is killed in between applies the same once more, before anybody could say otherwise.
        try await applied.keep(name, of: .serverName)
        try await applied.keep(settings.serverLogo, of: .serverLogo)
    }
}
