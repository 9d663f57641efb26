import Synchronization

/// What is known of the request that this task answers, for every line that is logged on the way.
package final class RequestTrace: Sendable {
    @TaskLocal package static var current: RequestTrace?

    private let kept: Mutex<[LogKey: String]>

    package init(_ facts: [LogKey: String]) { kept = Mutex(facts) }

    package var facts: [LogKey: String] { kept.withLock { $0 } }

    /// Adds what a route found out; never a secret.
    package func note(_ key: LogKey, _ value: String) { kept.withLock { $0[key] = value } }
}
