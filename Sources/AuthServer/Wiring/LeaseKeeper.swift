import Database
import HTTPService
import Logging
import ServiceLifecycle

/// Hands a lease on when the server stops.
struct LeaseKeeper: Service {
    let lease: Lease
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        do { try await lease.release() } catch {
            // Another node takes it when it is late.
            logger.line(.warning, "background work failed", [.work: "lease", .error: "\(lease.told(error))"])
        }
    }
}
