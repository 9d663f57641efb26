import HTTPService
import Logging
import ServiceLifecycle

/// Does something again and again until the server stops. A failure is logged and the next round comes all the same.
struct Repetition: Service {
    let name: String
    let interval: Duration
    let logger: Logger
    let body: @Sendable () async throws -> Void
    /// One failure that goes on is one line a minute.
    private let failures = LineLimit<String>()

    init(name: String, interval: Duration, logger: Logger, body: @Sendable @escaping () async throws -> Void) {
        self.name = name
        self.interval = interval
        self.logger = logger
        self.body = body
    }

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
            guard let heldBack = failures.admit("\(error)") else { return }
            var facts: [LogKey: String] = [.work: name, .error: "\(error)"]
            if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
            logger.line(.warning, "background work failed", facts)
        }
    }
}
