import Synchronization

/// Counts what changes on the phones of a page, and lets a request wait for the next change.
final class PhoneChanges: Sendable {
    private struct State {
        var version = 1
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Goes up with every change.
    var version: Int { state.withLock(\.version) }

    /// Something is other than it was.
    func note() {
        let waiting = state.withLock { state in
            state.version += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns when something has changed since the version that the caller knows, or when the task is cancelled. A version that never was is one that
    /// was changed.
    func wait(since known: Int) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.version != known || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
