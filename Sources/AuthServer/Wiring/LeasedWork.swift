import Database
import HTTPService
import Logging
import OstiaryProtocol

/// Work in the background that one node does at a time (docs/decisions/0012): each round looks first whether this node has the lease.
struct LeasedWork: Sendable {
    let lease: Lease
    let logger: Logger
    let clock: @Sendable () -> Instant
    /// Asked before the lease is: where it is false, this node does nothing and renews nothing, so that another takes the lease when it has lived.
    var mayHold: @Sendable (Instant) async throws -> Bool = { _ in true }

    /// - Parameters:
    ///   - name: as the log names the work.
    ///   - interval: from the end of one round to the beginning of the next.
    ///   - overlaps: as ``PeriodicTask`` has it.
    ///   - body: one round, at the moment that it is given.
    func task(
        _ name: String, every interval: Duration, overlaps: Bool = false, _ body: @Sendable @escaping (Instant) async throws -> Void
    ) -> PeriodicTask {
        PeriodicTask(name: name, interval: interval, overlaps: overlaps, logger: logger, told: lease.told) {
            if try await isHeld() { try await body(clock()) }
        }
    }

    /// The same of work in batches: while there is more the next run follows at once, by the clock of then (docs/decisions/0059).
    /// - Parameters:
    ///   - pace: what a round is paced by; others in tests.
    ///   - run: some batches, at the moment that it is given; says whether there is more. It asks `mayGoOn` after each batch that was full: others have the
    ///     database then; where this node has lost the lease it is false, and the run ends and says that there is no more.
    func batches(
        _ name: String, every interval: Duration, pace: @Sendable @escaping () -> BatchPace = { BatchPace() },
        _ run: @Sendable @escaping (Instant, _ mayGoOn: @Sendable () async throws -> Bool) async throws -> Bool
    ) -> PeriodicTask {
        PeriodicTask(name: name, interval: interval, logger: logger, told: lease.told) {
            guard try await isHeld() else { return }
            let pace = pace()
            let mayGoOn = { @Sendable () async throws -> Bool in
                try await pace.rest()
                return try await isHeld()
            }
            while try await run(clock(), mayGoOn) { pace.hurry() }
        }
    }

    private func isHeld() async throws -> Bool {
        guard try await mayHold(clock()) else { return false }
        return try await lease.isHeld(at: clock().seconds)
    }
}
