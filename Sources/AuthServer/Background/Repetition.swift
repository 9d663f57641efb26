import HTTPService
import Logging
import ServiceLifecycle

/// Does something again and again until the server stops. A failure is logged and the next round comes all the same.
struct Repetition: Service {
    let name: String
    let interval: Duration
    let logger: Logger
    let body: @Sendable () async throws -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await round()
                guard (try? await Task.sleep(for: interval)) != nil else { return }
            }
        }
    }

    private func round() async {
        do { try await body() } catch is CancellationError {
            return
        } catch {
            logger.line(.warning, "background work failed", [.work: name, .error: "\(error)"])
        }
    }
}
