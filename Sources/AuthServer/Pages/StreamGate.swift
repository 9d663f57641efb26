import HTTPService
import Synchronization

/// Bounds how many event streams are open: in all, for one name, and for one peer at the other end (``Peer``, as the listener tells them apart), so
/// that nobody can hold all of them.
package final class StreamGate: Sendable {
    private struct State {
        var total = 0
        var byName: [String: Int] = [:]
        var byPeer: [Peer: Int] = [:]
    }

    private let limit: Int
    private let limitPerName: Int
    private let limitPerPeer: Int
    private let state = Mutex(State())

    package init(limit: Int, perName: Int, perPeer: Int) {
        self.limit = limit
        limitPerName = perName
        limitPerPeer = perPeer
    }

    /// A place, which is given back when the value goes; nil when there is none.
    /// - Parameter peer: the other end; nil when it has no address.
    func enter(_ name: String, from peer: Peer?) -> Place? {
        let isFree = state.withLock { state in
            guard state.total < limit, state.byName[name, default: 0] < limitPerName else { return false }
            if let peer {
                guard state.byPeer[peer, default: 0] < limitPerPeer else { return false }
                state.byPeer[peer, default: 0] += 1
            }
            state.total += 1
            state.byName[name, default: 0] += 1
            return true
        }
        return isFree ? Place(gate: self, name: name, peer: peer) : nil
    }

    /// How many are open.
    package var count: Int { state.withLock(\.total) }

    fileprivate func leave(_ name: String, _ peer: Peer?) {
        state.withLock { state in
            state.total -= 1
            state.byName.takeOne(from: name)
            if let peer { state.byPeer.takeOne(from: peer) }
        }
    }

    /// One open stream.
    final class Place: Sendable {
        private let gate: StreamGate
        private let name: String
        private let peer: Peer?

        fileprivate init(gate: StreamGate, name: String, peer: Peer?) {
            self.gate = gate
            self.name = name
            self.peer = peer
        }

        deinit { gate.leave(name, peer) }
    }
}

extension Dictionary where Value == Int {
    /// One less; what has none left is forgotten.
    fileprivate mutating func takeOne(from name: Key) {
        let left = self[name, default: 1] - 1
        self[name] = left == 0 ? nil : left
    }
}
