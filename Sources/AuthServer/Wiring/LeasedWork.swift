import Database
import HTTPService
import Logging
import OstiaryProtocol

/// Work in the background that one node does at a time (docs/decisions/0012): each round looks first whether this node has the lease.
struct LeasedWork: Sendable {
    let lease: Lease
    let logger: Logger
    let clock: @Sendable () -> Instant

    /// - Parameters:
    ///   - name: as the log names the work.
    ///   - interval: from the end of one round to the beginning of the next.
    ///   - overlaps: as ``PeriodicTask`` has it.
    ///   - body: one round, at the moment that it is given.
    func task(
        _ name: String, every interval: Duration, overlaps: Bool = false, _ body: @Sendable @escaping (Instant) async throws -> Void
    ) -> PeriodicTask {
        PeriodicTask(name: name, interval: interval, overlaps: overlaps, logger: logger) {
            if try await lease.isHeld(at: clock().seconds) { try await body(clock()) }
        }
    }
}
