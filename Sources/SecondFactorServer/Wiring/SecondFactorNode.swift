import Database
import HTTPService
import Hummingbird
import Logging
import OstiaryProtocol
import SecondFactor
import ServiceLifecycle

/// A second-factor server: its router, its identity and what runs beside it. Two can live in one process on two databases.
package struct SecondFactorNode: Sendable {
    /// What authentication servers pin: the hash of our root, 32 bytes.
    package let identityHash: [UInt8]
    /// Deletes what has expired and rotates keys, until the program stops.
    package let background: [any Service]
    private let domain: SecondFactorService
    private let log: CallLog
    private let identity: IdentityKeeper
    private let health: HealthRoutes
    private let clock: @Sendable () -> Instant
    /// What the log says of a fault.
    private let told: @Sendable (any Error) -> any Error

    /// Migrates the database and makes the identity if there is none.
    /// - Parameters:
    ///   - evaluator: what makes and uses evaluation keys; nil for keys wrapped under `keyEncryptionKey`.
    ///   - readinessLimit: how long one readiness check may take; more in tests, where a busy machine is no fault.
    ///   - stepPatience: how the steps of the schema wait, and who is told of it.
    ///   - steady: seconds of a clock that nobody sets and that goes on while the machine sleeps; nil in tests, whose clock is the only one.
    ///   - clock: asked once for each request.
    /// - Throws: `DatabaseOpenError`, `NoStandby`, ``IdentityError``, `SQLError`.
    package init(
        settings: SecondFactorNodeSettings, database: any Database, keyEncryptionKey: KeyEncryptionKey, evaluator: (any Evaluator)? = nil,
        random: any RandomSource = SystemRandomSource(), logger: Logger, drain: DrainSignal = DrainSignal(),
        readinessLimit: Duration = HealthRoutes.limit, stepPatience: StepPatience = StepPatience(), steady: (@Sendable () -> UInt64)? = nil,
        clock: @Sendable @escaping () -> Instant
    ) async throws {
        if settings.needsStandby { try await database.checkStandby() }
        try await database.migrate(secondFactorMigrations, patience: stepPatience)
        // Before anything is brought back, and before anything is written.
        let newest = try await newestMoment(in: database)
        // The readiness check asks every ten seconds, so that no leap stays unnoticed for longer.
        let leaps = LeapWatch(newest: newest ?? Instant(0), steady: steady)
        let clock = leaps.noting(clock)
        let clockCheck = ClockCheck(newest: newest?.seconds) { clock().seconds }
        let store = SQLSecondFactorStore(database: database)
        let identity = IdentityKeeper(
            IdentityRenewal(store: store, keyEncryptionKey: keyEncryptionKey, rootSeed: settings.rootSeed, random: random))
        identityHash = try await Self.checkedHash(of: identity, settings, logger: logger, clock: clock)
        let rows = Self.rowsCheck(of: database, store)
        // Whoever probes may do so often.
        let probedRows = CachedCheck(rows.name) { try await rows.check() }
        let storage = CachedCheck("disk", behind: rows.name) { try await database.checkStorage(of: secondFactorTables) }
        let domain = SecondFactorService(
            trustedRoots: settings.trustedRoots, store: store, policy: settings.policy,
            evaluator: evaluator ?? WrappedKeyEvaluator(keyEncryptionKey: keyEncryptionKey), leaps: leaps,
            isWritable: { await Self.pass(probedRows, storage) })
        log = CallLog(logger)
        let standby = CachedCheck("standby", behind: rows.name) { try await database.tellingWhy { try await database.checkStandby() } }
        health = Self.health(
            of: database, identity, rows, settings.needsStandby ? [storage, standby] : [storage], clockCheck, drain: drain, limit: readinessLimit,
            clock: clock)
        background = [
            Self.housekeeping(domain, identity, database, keeping: settings.resetRetention, logger: logger, clock: clock),
            health.watch(logger: logger),
        ]
        self.domain = domain
        self.identity = identity
        self.clock = clock
        told = { database.told($0) }
    }

    /// The hash of our root, which no authentication server may have. A root key that is missing is told.
    private static func checkedHash(
        of identity: IdentityKeeper, _ settings: SecondFactorNodeSettings, logger: Logger, clock: @Sendable () -> Instant
    ) async throws -> [UInt8] {
        let own = try await identity.identity(at: clock())
        guard !settings.trustedRoots.contains(own.root.hash) else { throw IdentityError.trustsItself }
        if let missing = own.missingRootKey(at: clock()) { logger.warning("\(missing)") }
        return own.root.hash
    }

    /// Whether all of them pass; behind one that fails none is asked.
    private static func pass(_ checks: any ReadinessCheck...) async -> Bool {
        for check in checks {
            do { try await check.check() } catch { return false }
        }
        return true
    }

    /// Whether what a try reads can be read, of an instance and an attempt that are nobody's: a database that answers may have lost our tables, or keep them
    /// from us.
    private static func rowsCheck(of database: any Database, _ store: SQLSecondFactorStore) -> NamedCheck {
        let (instance, attempt) = (InstanceID(using: SystemRandomSource()), AttemptID(using: SystemRandomSource()))
        return NamedCheck("database") {
            try await database.checkInPlace()
            _ = try await database.tellingWhy { try await store.situation(of: instance, attempt: attempt) }
        }
    }

    private static func health(
        of database: any Database, _ identity: IdentityKeeper, _ rows: NamedCheck, _ storage: [CachedCheck], _ clockCheck: ClockCheck,
        drain: DrainSignal, limit: Duration, clock: @Sendable @escaping () -> Instant
    ) -> HealthRoutes {
        HealthRoutes(
            checks: [
                rows,
                // Without an operational key that is valid now it signs nothing.
                NamedCheck("keys", behind: rows.name) { _ = try await database.tellingWhy { try await identity.identity(at: clock()) } },
            ] + storage,
            told: [
                RootKeyCheck(behind: "keys") {
                    let now = clock()
                    return try await database.tellingWhy { try await identity.identity(at: now) }.missingRootKey(at: now)
                },
                clockCheck,
            ], drain: drain, limit: limit)
    }

    private static func housekeeping(
        _ domain: SecondFactorService, _ identity: IdentityKeeper, _ database: any Database, keeping resetRetention: UInt64?, logger: Logger,
        clock: @Sendable @escaping () -> Instant
    ) -> PeriodicTask {
        let told: @Sendable (any Error) -> any Error = { database.told($0) }
        return PeriodicTask(name: "housekeeping", interval: .seconds(60), logger: logger, told: told) {
            let pace = BatchPace()
            var isMore = true
            while isMore {
                while try await domain.bringBack(at: clock()).isMore { try await pace.rest() }
                let now = clock()
                let run = try await domain.deleteExpired(
                    at: now, resetRetention: resetRetention, isSteady: domain.isSteady(at: now)
                ) { try await pace.rest() }
                if run.deleted > 0 { logger.line(.debug, "expired rows deleted", [.rows: "\(run.deleted)"]) }
                // Requests renew keys at need themselves; this erases what is over while nobody asks.
                _ = try await identity.identity(at: now)
                try await database.purge()
                isMore = run.isMore
                if isMore { pace.hurry() }
            }
        }
    }

    /// Faults that pass by themselves or by an operator's hand: the root key that certifies the next operational key is not here, or keys are gone from the
    /// database.
    private static func isOutage(_ error: any Error) -> Bool {
        switch error as? IdentityError {
        case .rootKeyNeeded, .rootGone, .keysOfAnotherRoot: true
        default: SQLError.isOutage(error)
        }
    }

    /// For operators, on a listener of its own: `/live`, `/ready`.
    package var healthRouter: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(outages: Self.isOutage, told: told)
        health.add(to: router)
        return router
    }

    /// For authentication servers: `GET /sf/identity`, `POST /sf/call`; `/live` and `/ready` too, for whoever runs both on one listener.
    package var router: Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(outages: Self.isOutage, told: told)
        SecondFactorRoutes(domain: domain, identity: identity, log: log, clock: clock).add(to: router)
        health.add(to: router)
        return router
    }
}
