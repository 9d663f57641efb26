import Foundation
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

    /// Whether whoever started this process keeps SIGHUP from it, as nohup does. Who listens for a signal hears it all the same, so it is asked before.
    static func isIgnored() -> Bool {
        let before = signal(SIGHUP, SIG_IGN)
        signal(SIGHUP, before)
        return unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    func run() async throws {
        guard let signals else { return try await gracefulShutdown() }
        for await _ in signals.cancelOnGracefulShutdown() {
            logger.notice("SIGHUP changes nothing: settings are read at the start; restart to apply new ones")
        }
    }
}
