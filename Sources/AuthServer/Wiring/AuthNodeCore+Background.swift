import Authentication
import Database
import HTTPService
import OAuthProvider
import OstiaryProtocol
import ServiceLifecycle

extension AuthNodeCore {
    /// Seconds after which another node of the same database does the work in the background, when this one does not any more.
    private static let leaseLife: UInt64 = 60

    /// What runs beside the routes.
    /// - Parameter holder: tells this node from the others of its database.
    func background(holder: [UInt8]) -> [any Service] {
        let lease = database.lease("background", for: Self.leaseLife, holder: holder)
        // What is for good, and for all nodes. By itself, so that a node whose clock is contradicted leaves it to another, and does the rest.
        let forGood = database.lease("housekeeping", for: Self.leaseLife, holder: holder)
        return upkeep(lease, forGood) + deliveries(through: HTTPBackends(logger: logger), lease, forGood)
    }

    private func upkeep(_ lease: Lease, _ forGood: Lease) -> [any Service] {
        let (services, vault, tokenKeyring, gateway, clock) = (services, vault, tokenKeyring, gateway, clock)
        let clockGuard = clockGuard
        let (step, repacking) = (store.shortReceipts.map { WaitingStep($0, of: database) }, ReceiptRepacking(store: store))
        let leased = LeasedWork(lease: lease, logger: logger, clock: clock)
        let leasedForGood = LeasedWork(lease: forGood, logger: logger, clock: clock, mayHold: { try await clockGuard.mayHold(at: $0) })
        return [
            // The first service is told to stop last: by then nothing works any more that the leases are for.
            LeaseKeeper(leases: [lease, forGood], logger: logger),
            PeriodicTask(name: "keys", interval: .seconds(600), logger: logger, told: lease.told) {
                // Only a node that was given the root key can certify, whoever has the lease; two that renew at once make one key.
                let ours = try await lease.isHeld(at: clock().seconds)
                if ours || vault.isRootKeyGiven { try await vault.renew() } else { try await vault.reload() }
            },
            leased.task("token-keys", every: .seconds(600)) { _ in try await tokenKeyring.renew() },
            leasedForGood.batches("housekeeping", every: .seconds(5)) { now, mayGoOn in
                // What is ended, deleted or brought back is so for good, and for all nodes.
                guard try await clockGuard.allows(now) else { return false }
                return try await services.housekeeping.run(at: now, while: mayGoOn)
            },
            leased.task("closes", every: .seconds(2)) { now in try await services.closes.run(at: now) },
            // What it finds is told by the watch, once and on change.
            PeriodicTask(name: "second-factor", interval: .seconds(10), logger: logger, told: lease.told) {
                do { try await gateway.check() } catch { return }
                // The other server's clock agrees, so this one is no clock that fell behind.
                try await services.housekeeping.bringBack(at: clock())
            },
            PeriodicTask(name: "schema", interval: .seconds(60), logger: logger, told: lease.told) {
                try await step?.run { try await lease.isHeld(at: clock().seconds) }
            },
            leased.batches("receipts", every: .seconds(60)) { _, mayGoOn in try await repacking.run(while: mayGoOn) },
        ]
    }

    /// What the backends of clients are told. Apart, so that neither kind waits for the other; and no round for a host that keeps the last one waiting.
    private func deliveries(through backends: HTTPBackends, _ lease: Lease, _ forGood: Lease) -> [any Service] {
        let (logouts, pings) = (provider.logouts(through: backends), provider.pings(through: backends))
        let (decisions, clockGuard) = (provider.pushedDecisions, clockGuard)
        let leased = LeasedWork(lease: lease, logger: logger, clock: clock)
        // Housekeeping sees to it that somebody is asked.
        let leasedForGood = LeasedWork(lease: forGood, logger: logger, clock: clock, mayHold: { clockGuard.doubt(at: $0) == nil })
        return [
            leasedForGood.task(HTTPBackends.Work.logouts.rawValue, every: .seconds(2), overlaps: true) { now in
                // By a clock that ran ahead everybody's session is over, and what was told once is not told again.
                _ = try await logouts.run(at: now) { try await clockGuard.allows(now) }
            },
            leased.task(HTTPBackends.Work.pings.rawValue, every: .seconds(2), overlaps: true) { now in _ = try await pings.run(at: now) },
            leased.task("decisions", every: .seconds(2)) { now in try await decisions.run(at: now) },
        ]
    }
}
