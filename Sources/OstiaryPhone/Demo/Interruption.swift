import Dispatch
import Foundation

/// Ctrl-C and its kin as cancellation, so that whoever has begun something can end it.
enum Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Runs `body`, whose task is cancelled at the first signal; a second signal ends the process at once.
    /// - Parameter atOnce: what is done before that, and waits for nothing that can hang: perhaps that is why a second one came.
    static func cancelling(_ body: @Sendable @escaping () async throws -> Void, atOnce: @Sendable @escaping () -> Void) async throws {
        let task = Task { try await body() }
        let watchers = signals.map { number in
            #if canImport(Darwin)
            signal(number, SIG_IGN)
            #endif
            let watcher = DispatchSource.makeSignalSource(signal: number)
            watcher.setEventHandler {
                if task.isCancelled {
                    atOnce()
                    _exit(128 + number)
                }
                task.cancel()
            }
            watcher.activate()
            return watcher
        }
        defer { for watcher in watchers { watcher.cancel() } }
        try await task.value
    }
}
