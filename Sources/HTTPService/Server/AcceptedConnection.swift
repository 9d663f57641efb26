import HummingbirdCore
import Synchronization

/// A connection between its acceptance and the task that serves it.
///
/// A server that stops there drops it, whether it stops in good order or its task is cancelled; and NIO ends the whole process, with all that the others are
/// at, when the channel of a connection goes without having been served. So one that nobody took is served by a task that is cancelled already, which closes it.
final class AcceptedConnection: Sendable {
    private let channel: HTTP1Channel.Value
    private let serve: @Sendable () async -> Void
    private let isTaken = Atomic(false)

    init(_ channel: HTTP1Channel.Value, serve: @Sendable @escaping () async -> Void) {
        self.channel = channel
        self.serve = serve
    }

    /// For whoever serves it.
    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .relaxed)
        return channel
    }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        Task { [serve] in await serve() }.cancel()
    }
}
