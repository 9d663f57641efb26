import Logging
import ServiceLifecycle

/// Does something again and again until the server stops. A failure is logged and the next round comes all the same.
package struct PeriodicTask: Service {
    package let name: String
    private let interval: Duration
    private let overlaps: Bool
    private let logger: Logger
    private let told: @Sendable (any Error) -> any Error
    private let body: @Sendable () async throws -> Void
    /// One failure that goes on is one line a minute.
    private let failures = LineLimit<String>()

    /// - Parameters:
    ///   - name: as the log names the work.
    ///   - interval: from the end of one round to the beginning of the next.
    ///   - overlaps: whether the next round begins so long after the beginning of the last, whatever that one waits for. The body sees to it that rounds
    ///     which go on don't add up.
    ///   - told: what the log says instead of an error: the same with its reason. Lines are counted by the error itself, and by whether a reason is known.
    package init(
        name: String, interval: Duration, overlaps: Bool = false, logger: Logger, told: @Sendable @escaping (any Error) -> any Error = { $0 },
        body: @Sendable @escaping () async throws -> Void
    ) {
        self.name = name
        self.interval = interval
        self.overlaps = overlaps
        self.logger = logger
        self.told = told
        self.body = body
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { rounds in
                while !Task.isCancelled {
                    if overlaps { rounds.addTask { await round() } } else { await round() }
                    guard (try? await Task.sleep(for: interval)) != nil else { return }
                }
            }
        }
    }

    /// One round, now.
    package func round() async {
        do { try await body() } catch is CancellationError {
            return
        } catch {
            let words = told(error)
            guard let heldBack = failures.admit("\(type(of: words)) \(error)") else { return }
            var facts: [LogKey: String] = [.work: name, .error: "\(words)"]
            if heldBack > 0 { facts[.heldback] = "\(heldBack)" }
            logger.line(.warning, "background work failed", facts)
        }
    }
}
