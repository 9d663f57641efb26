import HTTPService
import Logging
import Synchronization

/// Bounds how many event streams are open: in all, for one name, and for one peer at the other end (``Peer``, as the listener tells them apart), so that
/// nobody can hold all of them. The operator is told of the first and the last of these limits; a name's is met by whoever opens its page often.
package final class StreamGate: Sendable {
    private struct State {
        var total = 0
        var byName: [String: Int] = [:]
        var byPeer: [Peer: Int] = [:]
        /// Peers that met their limit and have not fallen to half of it since.
        var greedy: Set<Peer> = []
    }

    private let limit: Int
    private let limitPerName: Int
    private let limitPerPeer: Int
    private let told: LimitLog?
    private let state = Mutex(State())

    package init(limit: Int, perName: Int, perPeer: Int, told: LimitLog? = nil) {
        self.told = told
        self.limit = limit
        limitPerName = perName
        limitPerPeer = perPeer
    }

    /// A place, which is given back when the value goes; nil when there is none.
    /// - Parameter peer: the other end; nil when it has no address.
    func enter(_ name: String, from peer: Peer?) -> Place? {
        // What is told of it is told under the lock, so in the order in which it happened.
        let isFree = state.withLock { state in
            guard state.total < limit else {
                told?.met(.streams, ["limit": "\(limit)"])
                return false
            }
            guard state.byName[name, default: 0] < limitPerName else { return false }
            if let peer {
                guard state.byPeer[peer, default: 0] < limitPerPeer else {
                    if state.greedy.insert(peer).inserted { told?.met(.peerStreams, ["limit": "\(limitPerPeer)", "peer": "\(peer)"]) }
                    return false
                }
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
            if state.total <= limit / 2 { told?.over(.streams) }
            guard let peer, state.byPeer.takeOne(from: peer) <= limitPerPeer / 2, state.greedy.remove(peer) != nil else { return }
            if state.greedy.isEmpty { told?.over(.peerStreams) }
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
    /// One less; what has none left is forgotten. Answers how many are left.
    @discardableResult
    fileprivate mutating func takeOne(from name: Key) -> Int {
        let left = self[name, default: 1] - 1
        self[name] = left == 0 ? nil : left
        return left
    }
}
