import Logging
import Synchronization

/// Keeps what a server logs as an error, which strangers must not be able to cause.
final class ErrorLog: Sendable {
    private let content = Mutex<[String]>([])

    var lines: [String] { content.withLock { $0 } }

    var logger: Logger { Logger(label: "fuzz") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: ErrorLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.content.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
        }
    }
}
