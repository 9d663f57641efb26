import Database
import HTTPService
import Logging
import ServiceLifecycle

/// Hands leases on when the server stops.
struct LeaseKeeper: Service {
    let leases: [Lease]
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        for lease in leases {
            do { try await lease.release() } catch {
                // Another node takes it when it is late.
                logger.line(.warning, "background work failed", [.work: "lease", .error: "\(lease.told(error))"])
            }
        }
    }
}
