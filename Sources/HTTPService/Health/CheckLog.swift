import Logging
import Synchronization

/// Tells the operator that a check fails: once, when the reason changes, and when it passes again, whoever asked and however often.
final class CheckLog: Sendable {
    private let failures = Mutex<[String: String]>([:])

    /// - Parameter reason: nil when the check passed.
    func note(_ check: String, _ reason: String?, logger: Logger) {
        let former = failures.withLock { failures in
            defer { failures[check] = reason }
            return failures[check]
        }
        guard reason != former else { return }
        if let reason {
            logger.line(.warning, "a readiness check failed", [.work: check, .reason: reason])
        } else {
            logger.line(.notice, "a readiness check passes again", [.work: check])
        }
    }
}
