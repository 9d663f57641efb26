import Synchronization

/// What the synchronous properties see: never half of a change.
struct Snapshot: Sendable {
    /// Nil when the store cannot be read.
    var accounts: [Account]?
    var sessions: [Session] = []
    var history: [HistoryItem] = []

    mutating func endAppLogin(as ending: Session.Ending) {
        for index in sessions.indices where sessions[index].isAppLogin && sessions[index].isLoggedIn { sessions[index].end(as: ending) }
    }
}

/// The newest of them, for threads of the app to read while the engine goes on.
final class SharedSnapshot: Sendable {
    private let content: Mutex<Snapshot>

    init(_ first: Snapshot) { content = Mutex(first) }

    var value: Snapshot { content.withLock { $0 } }

    func replace(_ snapshot: Snapshot) { content.withLock { $0 = snapshot } }
}
