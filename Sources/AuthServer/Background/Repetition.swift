import Logging
import ServiceLifecycle

/// Does something again and again until the server stops. A failure is logged and the next round comes all the same, unless it is one that ends
/// the server.
struct Repetition: Service {
    let name: String
    let interval: Duration
    let logger: Logger
    /// Whether a failure is one that the server must not survive.
    var isFatal: @Sendable (any Error) -> Bool = { _ in false }
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try await round()
                guard (try? await Task.sleep(for: interval)) != nil else { return }
            }
        }
    }

    private func round() async throws {
        do { try await body() } catch is CancellationError {
            return
        } catch  where isFatal(error) {
            throw error
        } catch {
            logger.warning("background work failed", metadata: ["work": "\(name)", "error": "\(error)"])
        }
    }
}
