import Logging
import ServiceLifecycle
import UnixSignals

/// SIGHUP does not end a server: a terminal that is closed takes nothing with it, and `systemctl reload` neither.
///
/// Nothing is read anew. Settings belong to the start, where all of them are checked together; a restart takes less than a second and loses nothing.
struct HangUp: Service {
    private let logger: Logger
    private let signals: UnixSignalsSequence?

    /// From now on SIGHUP ends nothing.
    /// - Parameter isTrapped: false in tests, whose process is not ours.
    init(logger: Logger, isTrapped: Bool) async {
        self.logger = logger
        signals = isTrapped ? await UnixSignalsSequence(trapping: .sighup) : nil
    }

    func run() async throws {
        guard let signals else { return try await gracefulShutdown() }
        for await _ in signals.cancelOnGracefulShutdown() {
            logger.notice("SIGHUP changes nothing: settings are read at the start; restart to apply new ones")
        }
    }
}
