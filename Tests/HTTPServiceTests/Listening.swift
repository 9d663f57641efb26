import Logging

/// Hands on what is logged.
struct Listening: LogHandler {
    let hear: @Sendable (LogEvent) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(_ hear: @Sendable @escaping (LogEvent) -> Void) { self.hear = hear }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var whole = event
        whole.metadata = metadata.merging(event.metadata ?? [:]) { _, new in new }
        hear(whole)
    }
}
