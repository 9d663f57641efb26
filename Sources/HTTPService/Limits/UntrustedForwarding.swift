import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// Tells an operator who has not said which proxy stands before the listener: somebody who is not trusted says there who asks. Once in the life of a process,
/// as strangers can write what they like.
package final class UntrustedForwarding: Sendable {
    private let logger: Logger
    private let setting: String
    private let isTold = Atomic(false)

    /// - Parameter setting: by which a proxy is trusted, as operators write it.
    package init(logger: Logger, setting: String) {
        self.logger = logger
        self.setting = setting
    }

    /// Whether there is still something to tell: afterwards nobody need look who says it.
    var isWaiting: Bool { !isTold.load(ordering: .relaxed) }

    /// Somebody said it from this address; nil for what has none.
    func note(from address: SocketAddress?) {
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        logger.line(
            .warning, "X-Forwarded-For of a peer that is not trusted is not read: if it is your proxy, set \(setting) to its address",
            [.peer: address?.ipAddress ?? "unix"])
    }
}
