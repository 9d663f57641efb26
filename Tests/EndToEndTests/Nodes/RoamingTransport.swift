import OstiaryMobile
import Synchronization

/// A phone's way to nodes, as behind a balancer: it stays at one until that does not answer, and asks the next from then on. What is only read is asked there at
/// once; a message the phone sends again, as on any network.
final class RoamingTransport: Transport {
    private struct State {
        var node: Int
        /// Messages that wait for their answers.
        var open = 0
    }

    private let ways: [PinnedTransport]
    private let state: Mutex<State>

    convenience init(among nodes: [NodesFixture.Node], first: Int) { self.init(by: nodes.map { PinnedTransport(to: $0) }, first: first) }

    /// - Parameter ways: one to each node, which several phones may share.
    init(by ways: [PinnedTransport], first: Int) {
        self.ways = ways
        state = Mutex(State(node: first))
    }

    /// Whether a message waits there for its answer.
    func isWaiting(at node: Int) -> Bool { state.withLock { $0.node == node && $0.open > 0 } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let node = state.withLock { state in
            state.open += 1
            return state.node
        }
        defer { state.withLock { $0.open -= 1 } }
        do throws(TransportError) { return try await ways[node].send(request) } catch {
            guard error == .unreachable else { throw error }
        }
        let next = (node + 1) % ways.count
        state.withLock { state in
            // Another call may have found it out before.
            if state.node == node { state.node = next }
        }
        guard request.body == nil else { throw .unreachable }
        return try await ways[next].send(request)
    }
}
