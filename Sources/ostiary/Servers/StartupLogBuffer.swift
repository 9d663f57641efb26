import HTTPService
import Logging
import Synchronization

/// Keeps a server's log back until the server runs: a start that fails says why in one line, and nothing else.
///
/// What the start itself waits for is written past it, at once (`StepPatience.told`).
///
/// At the levels trace and debug nothing is kept back: whoever asks for these looks for what went wrong on the way.
final class StartupLogBuffer: Sendable {
    private struct State {
        var isOpen: Bool
        var held: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>
    private let level: Logger.Level

    init(level: Logger.Level) {
        self.level = level
        state = Mutex(State(isOpen: level <= .debug))
    }

    /// A logger to standard error through this gate.
    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label) {
            StartupLogHandler(inner: StreamLogHandler(label: $0, stream: LogOutput.standardError), gate: self)
        }
        logger.logLevel = level
        return logger
    }

    /// The server runs: what was kept back is written now, and everything else when it happens.
    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for write in held { write() }
    }

    fileprivate func pass(_ write: @Sendable @escaping () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.held.append(write) }
            return state.isOpen
        }
        if isOpen { write() }
    }
}

/// Puts a line into words only when it is written: every request gets a logger with metadata of its own, and most requests log nothing.
private struct StartupLogHandler: LogHandler {
    var inner: StreamLogHandler
    let gate: StartupLogBuffer
    var metadata: Logger.Metadata = [:]

    var metadataProvider: Logger.MetadataProvider? {
        get { inner.metadataProvider }
        set { inner.metadataProvider = newValue }
    }

    var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var writer = inner
        writer.metadata = metadata
        gate.pass { [writer] in writer.log(event: event) }
    }
}
