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
    /// Renews keys, ends what ran out, tells the second-factor server, until the program stops: of several nodes on one database one at a time.
    package let background: [any Service]
    /// Seconds after which another node of the same database does the work in the background, when this one does not any more.
    private static let leaseLife: UInt64 = 60
    private let vault: ServerVault
    private let bundles: BundleMaker
    private let dispatch: AP1Dispatch
    private let pages: PageRoutes
    private let oauth: OAuthRoutes
    private let authorize: AuthorizeRoutes
    private let admin: AdminRoutes
    private let health: HealthRoutes
    private let apiKeyHash: [UInt8]
    private let trustedProxies: TrustedProxies
    /// Once the listeners are open: puts name and logo of the settings into the database, where they are new. Not before: a start that fails, because
    /// its port is taken for example, would undo what the REST API has said, and the next one would find the setting changed once more.
    /// - Throws: `SQLError`.
    package let applySettings: @Sendable () async throws -> Void

    /// Migrates the database, makes the default virtual server if there is none, and looks whether the second-factor server is the right one.
    /// - Parameters:
    ///   - rootKey: of `--root-key`: the file that wraps the root keys, apart from all others.
    ///   - events: hands news to those who wait: within this process, or between the nodes of one database.
    ///   - second: one second of waiting for news and of page updates; less in tests.
    ///   - readinessLimit: how long one readiness check may take; more in tests, where a busy machine is no fault.
    ///   - clock: asked for each request.
    /// - Throws: `DatabaseOpenError`, ``ServerKeyError``, ``OwnIdentityPinned``, ``SecondFactorIdentityError`` when another second-factor server
    ///   answers, `SQLError`.
    package init(
        settings: AuthNodeSettings, database: any Database, keyEncryptionKey: KeyEncryptionKey, rootKey: KeyEncryptionKey? = nil,
        secondFactor: any SecondFactorTransport, events: any SessionEvents = SessionEventHub(), random: any RandomSource = SystemRandomSource(),
        logger: Logger, drain: DrainSignal = DrainSignal(), second: Duration = .seconds(1), readinessLimit: Duration = HealthRoutes.limit,
        clock: @Sendable @escaping () -> Instant
    ) async throws {
        let watch = ClockWatch()
        let clock = watch.noting(clock)
        try await database.migrate(AuthenticationSchema.migrations)
        // Before anything is brought back.
        let clockCheck = ClockCheck(newest: try await newestMoment(in: database)?.seconds) { clock().seconds }
        let audit = AuditLog(logger: logger)
        let vault = ServerVault(
            database: database, key: keyEncryptionKey, rootKey: rootKey, random: random, audited: audit.write, clock: clock)
        let server = try await vault.open(name: settings.serverName ?? AuthNodeSettings.defaultServerName)
        guard try vault.rootHash(of: server.id) != settings.secondFactorIdentity else { throw OwnIdentityPinned() }
        if let missing = try await vault.missingRootKey() { logger.warning("\(missing)") }
        let gateway = PinnedSecondFactor(
            transport: secondFactor, prober: SecondFactorProber(keyring: vault, server: server.id, random: random),
            rootHash: settings.secondFactorIdentity, database: database, logger: logger,
            // Its own reason is told rather than that it did not answer.
            checkLimit: readinessLimit - .milliseconds(500), clock: clock)
        let store = SQLAuthenticationStore(database: database, key: keyEncryptionKey, audited: audit.write)
        let pageStore = SQLPageStore(database: database)
        let documents = ProviderDocuments()
        let oauthStore = SQLOAuthStore(database: database, key: keyEncryptionKey) { entries in
            documents.note(entries)
            audit.write(entries)
        }
        let addresses = ProviderAddresses(publicURL: settings.publicURL, first: server.id)
        let tokenKeyring = SQLTokenKeyring(
            database: database, key: keyEncryptionKey, random: random, audited: audit.write, issuer: addresses.issuer, clock: clock)
        let services = AuthenticationServices(
            store: store, keyring: vault, gateway: gateway, events: events, random: random, momentKeepers: [pageStore, oauthStore], watch: watch,
            auditRetention: settings.auditDays == 0 ? nil : settings.auditDays * 86_400)
        try await gateway.checkAtStart()

        applySettings = { try await Self.apply(settings, in: database, to: server.id, with: services.servers, at: clock()) }
        self.vault = vault
        self.services = services
        defaultServer = server.id
        identityHash = try vault.rootHash(of: server.id)
        apiKeyHash = settings.apiKey.hash
        trustedProxies = settings.trustedProxies
        bundles = BundleMaker(
            vault: vault, servers: services.servers, gateway: gateway, publicURL: settings.publicURL.description, clock: clock)
        let poll = LongPoll(events: events, drain: drain, second: second, clock: clock)
        let pageService = PageService(store: pageStore, random: random, publicURL: settings.publicURL)
        let visualHashes = VisualHashes(keyring: vault)
        pages = try PageRoutes(
            domain: services, pages: pageService, visualHashes: visualHashes, publicURL: settings.publicURL, drain: drain, tick: second,
            logger: logger, clock: clock)
        provider = OAuthServices(store: oauthStore, keyring: tokenKeyring, random: random, registrationsByPlace: settings.registrationsPerPeer)
        let codes = DeviceCodes(
            verifications: services.verifications, provider: provider, addresses: addresses, texts: try PageTexts.made.get())
        dispatch = AP1Dispatch(
            vault: vault, bundles: bundles, features: AP1Features(domain: services, poll: poll, codes: codes), clock: clock)
        oauth = try OAuthRoutes(
            domain: provider, waiting: services.waiting, addresses: addresses, documents: documents, asksNonce: settings.asksProofNonces,
            clock: clock)
        authorize = try AuthorizeRoutes(
            oauth: provider, domain: services, pages: pageService, addresses: addresses, publicURL: settings.publicURL, random: random, clock: clock)
        admin = AdminRoutes(
            domain: services, registry: RegistryService(store: oauthStore, random: random), tokenKeys: tokenKeyring, pages: pageService,
            visualHashes: visualHashes, publicURL: settings.publicURL, clock: clock)
        health = HealthRoutes(
            checks: [
                NamedCheck("database") {
                    try await database.checkInPlace()
                    _ = try await store.read { rows in try rows.server(server.id) }
                }
            ],
            logins: [
                CachedCheck("disk") { try await database.checkWritable() },
                CachedCheck("second-factor") { try await gateway.check() },
                // Without an operational key that is valid now it signs nothing.
                NamedCheck("keys") { try await vault.checkSigners() },
            ],
            told: [
                NamedCheck("unconfirmed") {
                    // A database that cannot be read is told by its own check.
                    guard let since = try? await services.closes.overdue(at: clock()) else { return }
                    throw UnconfirmedOrders(since: since)
                },
                RootKeyCheck { try await vault.missingRootKey() },
                clockCheck,
            ], drain: drain, limit: readinessLimit)
        let lease = database.lease("background", for: Self.leaseLife, holder: random.bytes(16))
        background =
            Self.background(services, vault, tokenKeyring, gateway, lease, logger: logger, clock: clock)
            + Self.deliveries(provider, through: HTTPBackends(logger: logger), lease, logger: logger, clock: clock) + [health.watch(logger: logger)]
    }

    /// The identity that `--print-identity` prints: makes the keys if there are none and needs no other server.
    package static func identityHash(
        database: any Database, keyEncryptionKey: KeyEncryptionKey, rootKey: KeyEncryptionKey? = nil, serverName: String? = nil,
        random: any RandomSource = SystemRandomSource(), logger: Logger, clock: @Sendable @escaping () -> Instant
    ) async throws -> [UInt8] {
        try await database.migrate(AuthenticationSchema.migrations)
        let vault = ServerVault(
            database: database, key: keyEncryptionKey, rootKey: rootKey, random: random, audited: AuditLog(logger: logger).write, clock: clock)
        return try await vault.openedIdentity(name: serverName ?? AuthNodeSettings.defaultServerName)
    }

    /// For phones and browsers.
    package var publicRouter: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        pages.addMiddleware(to: router)
        router.addServiceMiddleware(proxies: trustedProxies, outages: Self.isOutage)
        AP1Routes(dispatch: dispatch, bundles: bundles, servers: services.servers).add(to: router)
        pages.add(to: router)
        oauth.add(to: router)
        authorize.add(to: router)
        return router
    }

    /// For business backends and operators: health without a key, everything else with one.
    package var adminRouter: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: ServiceLimits(body: AdminRequest.bodyLimit), outages: Self.isOutage)
        health.add(to: router)
        admin.add(to: router, keyHash: apiKeyHash)
        return router
    }

    /// Faults that pass by themselves or by an operator's hand.
    private static func isOutage(_ error: any Error) -> Bool { SQLError.isOutage(error) || ServerKeyError.isOutage(error) }

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

    private static func background(
        _ services: AuthenticationServices, _ vault: ServerVault, _ tokenKeyring: SQLTokenKeyring, _ gateway: PinnedSecondFactor, _ lease: Lease,
        logger: Logger, clock: @Sendable @escaping () -> Instant
    ) -> [any Service] {
        let leased = LeasedWork(lease: lease, logger: logger, clock: clock)
        return [
            // The first service is told to stop last: by then nothing works any more that the lease is for.
            LeaseKeeper(lease: lease, logger: logger),
            PeriodicTask(name: "keys", interval: .seconds(600), logger: logger) {
                // Only a node that was given the root key can certify, whoever has the lease; two that renew at once make one key.
                let ours = try await lease.isHeld(at: clock().seconds)
                if ours || vault.isRootKeyGiven { try await vault.renew() } else { try await vault.reload() }
            },
            leased.task("token-keys", every: .seconds(600)) { _ in try await tokenKeyring.renew() },
            leased.task("housekeeping", every: .seconds(5)) { now in try await services.housekeeping.run(at: now) },
            leased.task("closes", every: .seconds(2)) { now in try await services.closes.run(at: now) },
            // What it finds is told by the watch, once and on change.
            PeriodicTask(name: "second-factor", interval: .seconds(10), logger: logger) { try? await gateway.check() },
        ]
    }

    /// What the backends of clients are told. Apart, so that neither kind waits for the other; and no round for a host that keeps the last one waiting.
    private static func deliveries(
        _ provider: OAuthServices, through backends: HTTPBackends, _ lease: Lease, logger: Logger, clock: @Sendable @escaping () -> Instant
    ) -> [any Service] {
        let (logouts, pings) = (provider.logouts(through: backends), provider.pings(through: backends))
        let decisions = provider.pushedDecisions
        let leased = LeasedWork(lease: lease, logger: logger, clock: clock)
        return [
            leased.task(HTTPBackends.Work.logouts.rawValue, every: .seconds(2), overlaps: true) { now in _ = try await logouts.run(at: now) },
            leased.task(HTTPBackends.Work.pings.rawValue, every: .seconds(2), overlaps: true) { now in _ = try await pings.run(at: now) },
            leased.task("decisions", every: .seconds(2)) { now in try await decisions.run(at: now) },
        ]
    }
}
