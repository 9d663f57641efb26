import Synchronization

/// The one writer. Transactions that arrive while a commit is under way are collected and committed together: one wait for the disk serves them all.
///
/// Of those that were collected the soft ones are committed first, by themselves: they wait for the disk only as long as it was at work when they came.
/// Each runs inside its own savepoint, so a failing one takes back its own changes only; each caller hears of success after the commit.
final class SQLiteWriter: Sendable {
    private struct State {
        var waiting: [any PendingTransaction] = []
        var isScheduled = false
        var isClosed = false
    }

    let handle: SQLiteHandle
    private let state = Mutex(State())

    /// The most transactions in one commit: bounds how long a caller waits for the others.
    private static let groupLimit = 128

    init(_ handle: SQLiteHandle) {
        self.handle = handle
    }

    func transaction<Value: Sendable>(
        _ durability: Durability, _ body: @Sendable @escaping (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let mustSchedule = state.withLock { state -> Bool? in
                if state.isClosed { return nil }
                state.waiting.append(BodyTransaction(durability, body: body, continuation: continuation))
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            switch mustSchedule {
            case true?: handle.schedule(commitCollected)
            case false?: break
            case nil: continuation.resume(throwing: SQLError.closed)
            }
        }
    }

    /// Begins between two commits.
    func watch(_ rows: [WatchedRows], by watcher: any RowWatcher) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            handle.schedule { connection in
                continuation.resume(
                    with: Result {
                        guard let connection else { throw SQLError.closed }
                        try connection.watch(rows, by: watcher)
                    })
            }
        }
    }

    /// Folds the log into the file and empties it, between two commits. Deleted values were overwritten in the file by `secure_delete`.
    func purge() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            handle.schedule { connection in
                continuation.resume(with: Result { try Self.emptyLog(of: connection) })
            }
        }
    }

    private static func emptyLog(of connection: SQLiteConnection?) throws {
        guard let connection else { throw SQLError.closed }
        try connection.foldLog()
    }

    /// Takes no more transactions, finishes those it has, closes the connection.
    /// - Parameter folds: whether the log is copied to the file and removed; otherwise it is left to somebody else.
    func close(folding folds: Bool) {
        state.withLock { $0.isClosed = true }
        while state.withLock({ $0.isScheduled }) {
            handle.wait()
        }
        handle.close(folding: folds)
    }

    @Sendable
    private func commitCollected(on connection: SQLiteConnection?) {
        let collected = state.withLock { state in
            let collected = Array(state.waiting.prefix(Self.groupLimit))
            state.waiting.removeFirst(collected.count)
            return collected
        }
        if let connection {
            for group in CommitGroup.groups(of: collected) { group.run(on: connection) }
        } else {
            for member in collected { member.fail(SQLError.closed) }
        }
        let mustGoOn = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if mustGoOn { handle.schedule(commitCollected) }
    }
}
