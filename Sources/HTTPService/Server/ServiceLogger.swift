import Logging

extension Logger {
    /// A logger to standard error; standard output belongs to what a command prints.
    package static func service(_ label: String, level: Logger.Level) -> Logger {
        var logger = Logger(label: label) { StreamLogHandler(label: $0, stream: LogOutput.standardError) }
        logger.logLevel = level
        return logger
    }
}
