import HTTPService
import Logging
import OstiaryProtocol
import SecondFactor
import ServiceLifecycle

/// Deletes what has expired, renews keys, and lets nothing be left of keys that were erased, once a minute. A failure is logged and tried again; requests renew keys at need themselves.
struct Housekeeping: Service {
    let store: any SecondFactorStore
    let identity: IdentityKeeper
    let logger: Logger
    let clock: @Sendable () -> Instant
    var pause: Duration = .seconds(60)

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await round()
                try? await Task.sleep(for: pause)
            }
        }
    }

    func round() async {
        let now = clock()
        do {
            let deleted = try await store.deleteExpired(at: now)
            if deleted > 0 { logger.line(.debug, "expired rows deleted", [.rows: "\(deleted)"]) }
            _ = try await identity.identity(at: now)
            try await store.purge()
        } catch {
            logger.line(.error, "housekeeping failed", [.work: "housekeeping", .error: "\(error)"])
        }
    }
}
