import Synchronization

/// A value whose next change tasks wait for.
package final class AwaitedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value, and wakes all who wait.
    package func change(_ body: (inout Value) -> Void) {
        let waiting = state.withLock { state in
            body(&state.value)
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns at once where nobody has to wait, and else with the next change, or when the task is cancelled.
    /// - Parameter isOver: whether a value is what was waited for.
    package func wait(until isOver: @Sendable (Value) -> Bool) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if isOver(state.value) || Task.isCancelled { return true }
                    state.waiting[ticket] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.resume()
        }
    }
}
