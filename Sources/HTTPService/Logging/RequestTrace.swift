import HTTPTypes
import Synchronization

/// What is known of the request that this task answers, for every line that is logged on the way.
package final class RequestTrace: Sendable {
    @TaskLocal package static var current: RequestTrace?

    package let requestID: String
    private let method: String
    private let noted = Mutex<[LogKey: String]>([:])
    private let isDescribing = Mutex(false)
    private let errorFields = Mutex<HTTPFields?>(nil)

    package init(requestID: String, method: String) {
        self.requestID = requestID
        self.method = method
    }

    package var facts: [LogKey: String] {
        noted.withLock { $0 }.merging([.requestId: requestID, .method: method]) { _, own in own }
    }

    /// Whether an error says its sentence as `error_description`, too.
    package var describesErrors: Bool { isDescribing.withLock { $0 } }

    /// From now on an error has the member that clients of OAuth read (RFC 6749 §5.2), a fault or an outage of this server too.
    package func describeErrors() { isDescribing.withLock { $0 = true } }

    /// What an error has besides its own fields.
    package var fieldsOfErrors: HTTPFields { errorFields.withLock { $0 } ?? [:] }

    /// From now on an error has these, unless it says otherwise itself; a fault or an outage of this server too.
    package func addToErrors(_ fields: HTTPFields) { errorFields.withLock { $0 = ($0 ?? [:]) + fields } }

    /// Adds what a route found out; never a secret.
    package func note(_ key: LogKey, _ value: String) { noted.withLock { $0[key] = value } }
}
