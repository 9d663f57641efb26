import Logging
import Synchronization

/// Keeps what is logged, for tests that read it.
package final class LogRecorder: Sendable {
    package struct Line: Sendable {
        package let level: Logger.Level
        package let message: String
        package let facts: [String: String]
    }

    private let kept = Mutex<[Line]>([])

    package init() {}

    package var lines: [Line] { kept.withLock { $0 } }
    /// Everything, as one would search it.
    package var text: String { lines.map { "\($0.message) \($0.facts)" }.joined(separator: "\n") }

    package func lines(_ message: String) -> [Line] { lines.filter { $0.message == message } }

    package func logger(level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let facts = metadata.merging(event.metadata ?? [:]) { _, new in new }.mapValues { "\($0)" }
            recorder.kept.withLock { $0.append(Line(level: event.level, message: "\(event.message)", facts: facts)) }
        }
    }
}
