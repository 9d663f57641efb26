import Authentication
import Database
import HTTPService
import Logging
import OAuthProvider
import OstiaryProtocol

/// What the routes of an authentication server stand on: its rows and keys, the way to the second-factor server, and the services over them.
struct AuthNodeCore: Sendable {
    let database: any Database
    let logger: Logger
    /// Asked for each request, and watched for leaps.
    let clock: @Sendable () -> Instant
    let clockCheck: ClockCheck
    let clockGuard: ClockGuard
    let vault: ServerVault
    /// The virtual server that was made on the first start.
    let server: VirtualServer
    let gateway: PinnedSecondFactor
    let store: SQLAuthenticationStore
    let pageStore: SQLPageStore
    let oauthStore: SQLOAuthStore
    let documents: ProviderDocuments
    let addresses: ProviderAddresses
    let tokenKeyring: SQLTokenKeyring
    let services: AuthenticationServices
    let provider: OAuthServices

    /// As `AuthNode`'s.
    init(
        settings: AuthNodeSettings, database: any Database, keyEncryptionKey: KeyEncryptionKey, rootKey: KeyEncryptionKey?,
        secondFactor: any SecondFactorTransport, events: any SessionEvents, random: any RandomSource, logger: Logger, readinessLimit: Duration,
        stepPatience: StepPatience, clock unwatched: @Sendable @escaping () -> Instant
    ) async throws {
        let watch = ClockWatch()
        let clock = watch.noting(unwatched)
        try await database.migrate(AuthenticationSchema.migrations, patience: stepPatience)
        // Before anything is brought back.
        clockCheck = ClockCheck(newest: try await newestMoment(in: database)?.seconds) { clock().seconds }
        let audit = AuditLog(logger: logger)
        let vault = ServerVault(
            database: database, key: keyEncryptionKey, rootKey: rootKey, random: random, audited: audit.write, clock: clock)
        server = try await Self.open(vault, settings, logger: logger)
        gateway = PinnedSecondFactor(
            transport: secondFactor, prober: SecondFactorProber(keyring: vault, server: server.id, random: random),
            rootHash: settings.secondFactorIdentity, database: database, logger: logger,
            // Its own reason is told rather than that it did not answer.
            checkLimit: readinessLimit - .milliseconds(500), clock: clock)
        clockGuard = ClockGuard(gateway: gateway, watch: watch, check: clockCheck)
        let views = try await SessionViews.of(database)
        let shortReceipts = StepWatch(AuthenticationSchema.shortReceipts, of: database)
        try await shortReceipts.look()
        store = SQLAuthenticationStore(
            database: database, key: keyEncryptionKey, views: views, shortReceipts: shortReceipts, audited: audit.write)
        pageStore = SQLPageStore(database: database)
        let documents = ProviderDocuments(over: database)
        self.documents = documents
        oauthStore = SQLOAuthStore(database: database, key: keyEncryptionKey) { entries in
            documents.note(entries)
            audit.write(entries)
        }
        addresses = ProviderAddresses(publicURL: settings.publicURL, first: server.id)
        tokenKeyring = SQLTokenKeyring(
            database: database, key: keyEncryptionKey, random: random, audited: audit.write, issuer: addresses.issuer, clock: clock)
        services = AuthenticationServices(
            store: store, keyring: vault, gateway: gateway, events: events, random: random, momentKeepers: [pageStore, oauthStore], watch: watch,
            witness: clockGuard, auditRetention: Self.seconds(of: settings.auditDays),
            deletedRetention: Self.seconds(of: settings.deletedAccountDays))
        try await gateway.checkAtStart()
        provider = OAuthServices(store: oauthStore, keyring: tokenKeyring, random: random, registrationsByPlace: settings.registrationsPerPeer)
        self.database = database
        self.logger = logger
        self.clock = clock
        self.vault = vault
    }

    /// Of days for which something is kept; nil for ever.
    private static func seconds(of days: UInt64) -> UInt64? { days == 0 ? nil : days * 86_400 }

    /// The default virtual server, made if there is none. A root key that is missing is told.
    private static func open(_ vault: ServerVault, _ settings: AuthNodeSettings, logger: Logger) async throws -> VirtualServer {
        let server = try await vault.open(name: settings.serverName ?? AuthNodeSettings.defaultServerName)
        guard try vault.rootHash(of: server.id) != settings.secondFactorIdentity else { throw OwnIdentityPinned() }
        if let missing = try await vault.missingRootKey() { logger.warning("\(missing)") }
        return server
    }
}
