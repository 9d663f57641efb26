import Synchronization

/// A value that changes, and that tasks wait for.
///
///     let version = AwaitedValue(1)
///     await version.wait { $0 > 1 }   // returns after:
///     version.change { $0 += 1 }
package final class AwaitedValue<Value: Sendable>: Sendable {
    private struct Waiting {
        let isEnough: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiting: [Int: Waiting] = [:]
        var next = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value, and wakes those for whom it is enough now.
    package func change(_ body: (inout Value) -> Void) {
        let woken = state.withLock { state in
            body(&state.value)
            let woken = state.waiting.filter { $0.value.isEnough(state.value) }
            for ticket in woken.keys { state.waiting[ticket] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when the value is enough, at once if it is so already, or when the task is cancelled.
    /// - Parameter isEnough: asked while the value is held still; it must not use this value itself.
    package func wait(until isEnough: @Sendable @escaping (Value) -> Bool) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if isEnough(state.value) || Task.isCancelled { return true }
                    state.waiting[ticket] = Waiting(isEnough: isEnough, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: ticket) }?.continuation.resume()
        }
    }
}
