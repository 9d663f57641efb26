import OstiaryTesting
import Testing

extension LogRecorder {
    /// The one line with these words: none, or a second, ends the test and not the process.
    func onlyLine(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Line {
        let found = lines(message)
        try #require(found.count == 1, "\(message): \(found)", sourceLocation: sourceLocation)
        return try #require(found.first, sourceLocation: sourceLocation)
    }
}
