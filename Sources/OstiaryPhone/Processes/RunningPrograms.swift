import Foundation
import Synchronization

/// Programs that we have started, as long as they run: an id in it is nobody else's yet. Each is started and reaped under its lock, so that none is missed
/// when all are ended, and none is signalled that is gone.
final class RunningPrograms: Sendable {
    private struct State {
        var ids: Set<pid_t> = []
        var isEnding = false
    }

    private let state = Mutex(State())

    /// Starts one, and has it in the same step.
    /// - Parameter start: sets the id; an error number, or 0.
    /// - Returns: what that does; `ECANCELED` after ``end()``.
    func spawn(_ id: inout pid_t, by start: (inout pid_t) -> Int32) -> Int32 {
        var started: pid_t = 0
        let result: Int32 = state.withLock { state in
            guard !state.isEnding else { return ECANCELED }
            let result = start(&started)
            if result == 0 { state.ids.insert(started) }
            return result
        }
        id = started
        return result
    }

    /// What the system says of the end of one; nil while it runs.
    func reap(_ id: pid_t) -> Int32? {
        state.withLock { state in
            var status: Int32 = 0
            guard waitpid(id, &status, WNOHANG) == id else { return nil }
            state.ids.remove(id)
            return status
        }
    }

    func send(_ signal: Int32, to id: pid_t) {
        state.withLock { state in
            if state.ids.contains(id) { _ = kill(id, signal) }
        }
    }

    /// Ends one at once, if it is not gone.
    func end(_ id: pid_t) {
        state.withLock { state in
            guard state.ids.remove(id) != nil else { return }
            Self.endNow([id])
        }
    }

    /// Ends all at once, and returns when they are gone. None is started after that.
    func end() {
        state.withLock { state in
            state.isEnding = true
            Self.endNow(state.ids)
            state.ids = []
        }
    }

    private static func endNow(_ ids: Set<pid_t>) {
        for id in ids { kill(id, SIGKILL) }
        for id in ids {
            var status: Int32 = 0
            waitpid(id, &status, 0)
        }
    }
}
