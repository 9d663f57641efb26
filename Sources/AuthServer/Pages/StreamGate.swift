import HTTPService
import Logging
import Synchronization

/// Bounds how many event streams are open: in all, for one name, and for one peer at the other end (``Peer``, as the listener tells them apart), so that
/// nobody can hold all of them. The operator is told of the first and the last of these limits; a name's is met by whoever opens its page often.
///
/// A name that has all of its places refuses another stream, or has an older one make room for it (docs/decisions/0074).
package final class StreamGate: Sendable {
    /// A place that is taken.
    private struct Held {
        let number: UInt64
        let peer: Peer?
        /// Nil until somebody wants to be told.
        var whenLost: (@Sendable () -> Void)?
    }

    private struct State {
        var total = 0
        /// The places of each name, the oldest first.
        var byName: [String: [Held]] = [:]
        var byPeer: [Peer: Int] = [:]
        /// Peers that met their limit and have not fallen to half of it since.
        var greedy: Set<Peer> = []
        var newest: UInt64 = 0
    }

    private let limit: Int
    private let limitPerName: Int
    private let limitPerPeer: Int
    private let givesWay: Bool
    private let told: LimitLog?
    private let state = Mutex(State())

    /// - Parameter givesWay: whether a name that has all of its places takes in a newer stream for an older one.
    package init(limit: Int, perName: Int, perPeer: Int, givesWay: Bool = false, told: LimitLog? = nil) {
        self.told = told
        self.limit = limit
        self.givesWay = givesWay
        limitPerName = perName
        limitPerPeer = perPeer
    }

    /// A place, which is given back when the value goes, or before; nil when there is none.
    /// - Parameter peer: the other end; nil when it has no address.
    func enter(_ name: String, from peer: Peer?) -> Place? {
        var loser: Held?
        // What is told of it is told under the lock, so in the order in which it happened.
        let number = state.withLock { state -> UInt64? in
            let held = state.byName[name, default: []]
            let isFull = held.count >= limitPerName
            let oldest = isFull && givesWay ? Self.firstToGo(of: held, for: peer) : nil
            guard state.total - (oldest == nil ? 0 : 1) < limit else {
                told?.met(.streams, ["limit": "\(limit)"])
                return nil
            }
            guard !isFull || oldest != nil else { return nil }
            if let peer {
                guard state.byPeer[peer, default: 0] - (oldest?.peer == peer ? 1 : 0) < limitPerPeer else {
                    if state.greedy.insert(peer).inserted { told?.met(.peerStreams, ["limit": "\(limitPerPeer)", "peer": "\(peer)"]) }
                    return nil
                }
            }
            if let oldest { loser = free(oldest.number, of: name, in: &state) }
            if let peer { state.byPeer[peer, default: 0] += 1 }
            state.total += 1
            state.newest += 1
            state.byName[name, default: []].append(Held(number: state.newest, peer: peer))
            return state.newest
        }
        loser?.whenLost?()
        return number.map { Place(gate: self, name: name, number: $0) }
    }

    /// The oldest place of whoever has most of the name's, the newcomer counted: who is at one address takes none from somebody who has fewer.
    private static func firstToGo(of held: [Held], for newcomer: Peer?) -> Held? {
        var shares = [newcomer: 1]
        for place in held { shares[place.peer, default: 0] += 1 }
        let most = shares.values.max()
        return held.first { shares[$0.peer] == most }
    }

    /// How many are open.
    package var count: Int { state.withLock(\.total) }

    /// Takes a place away; nil when somebody did before.
    private func free(_ number: UInt64, of name: String, in state: inout State) -> Held? {
        guard let index = state.byName[name]?.firstIndex(where: { $0.number == number }), let place = state.byName[name]?.remove(at: index) else {
            return nil
        }
        if state.byName[name]?.isEmpty == true { state.byName[name] = nil }
        state.total -= 1
        if state.total <= limit / 2 { told?.over(.streams) }
        guard let peer = place.peer, state.byPeer.takeOne(from: peer) <= limitPerPeer / 2, state.greedy.remove(peer) != nil else { return place }
        if state.greedy.isEmpty { told?.over(.peerStreams) }
        return place
    }

    fileprivate func leave(_ number: UInt64, of name: String) {
        // What was to be told goes behind the lock: with it may go whoever wanted it.
        let place = state.withLock { free(number, of: name, in: &$0) }
        withExtendedLifetime(place) {}
    }

    fileprivate func whenLost(_ number: UInt64, of name: String, _ body: @Sendable @escaping () -> Void) {
        let isHeld = state.withLock { state in
            guard let index = state.byName[name]?.firstIndex(where: { $0.number == number }) else { return false }
            state.byName[name]?[index].whenLost = body
            return true
        }
        if !isHeld { body() }
    }

    /// One open stream.
    final class Place: Sendable {
        private let gate: StreamGate
        private let name: String
        private let number: UInt64

        fileprivate init(gate: StreamGate, name: String, number: UInt64) {
            self.gate = gate
            self.name = name
            self.number = number
        }

        deinit { leave() }

        /// Calls `body`, which must be quick, when the place goes to a newer stream, at once where it is lost or given back by now. To be asked once.
        func whenLost(_ body: @Sendable @escaping () -> Void) { gate.whenLost(number, of: name, body) }

        /// Gives it back, once; who has lost it has nothing to give back.
        func leave() { gate.leave(number, of: name) }
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
