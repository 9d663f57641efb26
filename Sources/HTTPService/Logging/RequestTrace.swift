import Synchronization

/// What is known of the request that this task answers, for every line that is logged on the way.
package final class RequestTrace: Sendable {
    @TaskLocal package static var current: RequestTrace?

    package let requestID: String
    private let method: String
    private let noted = Mutex<[LogKey: String]>([:])

    package init(requestID: String, method: String) {
        self.requestID = requestID
        self.method = method
    }

    package var facts: [LogKey: String] {
        noted.withLock { $0 }.merging([.requestId: requestID, .method: method]) { _, own in own }
    }

    /// Adds what a route found out; never a secret.
    package func note(_ key: LogKey, _ value: String) { noted.withLock { $0[key] = value } }
}
