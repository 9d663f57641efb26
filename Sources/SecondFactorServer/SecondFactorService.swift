import Database
import HTTPService
import Hummingbird
import Logging
import OstiaryProtocol
import SecondFactor
import ServiceLifecycle

/// A second-factor server: its router, its identity and what runs beside it. Two can live in one process on two databases.
package struct SecondFactorService: Sendable {
    /// What authentication servers pin: the hash of our root, 32 bytes.
    package let identityHash: [UInt8]
    /// Deletes what has expired and rotates keys, until the program stops.
    package let background: [any Service]
    private let desk: CallDesk
    private let identity: IdentityKeeper
    private let health: HealthRoutes
    private let clock: @Sendable () -> Instant

    /// Migrates the database and makes the identity if there is none.
    /// - Parameters:
    ///   - evaluator: what makes and uses evaluation keys; nil for keys wrapped under `keyEncryptionKey`.
    ///   - clock: asked once for each request.
    /// - Throws: `DatabaseOpenError`, ``IdentityError``, `SQLError`.
    package init(
        settings: SecondFactorSettings, database: any Database, keyEncryptionKey: KeyEncryptionKey, evaluator: (any Evaluator)? = nil,
        random: any RandomSource = SystemRandomSource(), logger: Logger, drain: DrainSignal = DrainSignal(),
        clock: @Sendable @escaping () -> Instant
    ) async throws {
        try await database.migrate(secondFactorMigrations)
        let keys = IdentityStore(
            database: database, keyEncryptionKey: keyEncryptionKey, rootSeed: settings.rootSeed, random: random)
        let identity = IdentityKeeper(keys)
        let store = SQLSecondFactorStore(database: database, policy: settings.policy)
        identityHash = try await identity.identity(at: clock()).root.hash
        guard !settings.trustedRoots.contains(identityHash) else { throw IdentityError.trustsItself }
        let storage = CachedCheck("disk") { try await database.checkWritable() }
        desk = CallDesk(
            callers: TrustedCallers(settings.trustedRoots), store: store, policy: settings.policy,
            evaluator: evaluator ?? WrappedKeyEvaluator(keyEncryptionKey: keyEncryptionKey), storage: storage, logger: logger)
        health = HealthRoutes(checks: [NamedCheck("database") { try await store.checkReadable() }, storage], drain: drain)
        background = [Housekeeping(store: store, identity: identity, logger: logger, clock: clock)]
        self.identity = identity
        self.clock = clock
    }

    /// `GET /sf/identity`, `POST /sf/call`, `/live`, `/ready`.
    package var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(outages: storageOutage)
        SecondFactorRoutes(desk: desk, identity: identity, clock: clock).add(to: router)
        health.add(to: router)
        return router
    }
}
