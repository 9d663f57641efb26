import Synchronization

/// Bounds how many event streams are open, in all and for one name, so that nobody can hold all connections of a server.
package final class StreamGate: Sendable {
    private struct State {
        var total = 0
        var byName: [String: Int] = [:]
    }

    private let limit: Int
    private let limitPerName: Int
    private let state = Mutex(State())

    package init(limit: Int, perName: Int) {
        self.limit = limit
        limitPerName = perName
    }

    /// A place, which is given back when the value goes; nil when there is none.
    func enter(_ name: String) -> Place? {
        let isFree = state.withLock { state in
            guard state.total < limit, state.byName[name, default: 0] < limitPerName else { return false }
            state.total += 1
            state.byName[name, default: 0] += 1
            return true
        }
        return isFree ? Place(gate: self, name: name) : nil
    }

    /// How many are open.
    package var count: Int { state.withLock(\.total) }

    fileprivate func leave(_ name: String) {
        state.withLock { state in
            state.total -= 1
            let left = state.byName[name, default: 1] - 1
            state.byName[name] = left == 0 ? nil : left
        }
    }

    /// One open stream.
    final class Place: Sendable {
        private let gate: StreamGate
        private let name: String

        fileprivate init(gate: StreamGate, name: String) {
            self.gate = gate
            self.name = name
        }

        deinit { gate.leave(name) }
    }
}
