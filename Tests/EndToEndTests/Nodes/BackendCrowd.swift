import OstiaryTesting
import Synchronization

@testable import OstiaryPhone

/// Backends that call three nodes all the time, each at one of them and one call after the other. At each desk there is one for every node, so that what one node
/// changes the others change, too. Who has no answer asks the next node once more, as behind a balancer, and stays there.
final class BackendCrowd: Sendable {
    enum Work: CaseIterable, Sendable { case draw, ask, end }

    struct Call: Sendable {
        let node: Int
        let work: Work
        /// Whether another node has not answered it.
        let isRepeat: Bool
        let begun: ContinuousClock.Instant
        /// Nil while it is open.
        var ended: ContinuousClock.Instant?
        /// Nil where it was answered as it should be.
        var failure: String?

        var isAnswered: Bool { ended != nil && failure == nil }
        func isWithin(_ time: Duration) -> Bool { ended.map { $0 - begun <= time } ?? false }
    }

    private struct State {
        var calls: [Call] = []
        /// A node to which nobody is sent any more.
        var dead: Int?
        var isToEnd = false
    }

    /// More would measure the machine.
    static let desks = 3
    private let callers: [NodeCaller]
    private let state = Mutex(State())

    init(_ fixture: NodesFixture, serverID: String) {
        callers = fixture.nodes.enumerated().map { NodeCaller($0, at: $1, fixture, serverID: serverID) }
    }

    /// All that were begun, in the order in which they were.
    var calls: [Call] { state.withLock { $0.calls } }

    func leave(_ node: Int) { state.withLock { $0.dead = node } }
    func end() { state.withLock { $0.isToEnd = true } }

    /// Returns after ``end()``, when the last call is over.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.desks {
                let nonce = ManagementClient.newNonce()
                for node in callers.indices { group.addTask { await self.serve(nonce, at: node) } }
            }
        }
    }

    private func serve(_ nonce: String, at first: Int) async {
        var node = first
        while !state.withLock({ $0.isToEnd }), !Task.isCancelled {
            for work in Work.allCases {
                if state.withLock({ $0.dead }) == node { node = next(node) }
                if await isAnswered(work, nonce, at: node, isRepeat: false) { continue }
                node = next(node)
                _ = await isAnswered(work, nonce, at: node, isRepeat: true)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    private func next(_ node: Int) -> Int { (node + 1) % callers.count }

    private func isAnswered(_ work: Work, _ nonce: String, at node: Int, isRepeat: Bool) async -> Bool {
        let number = state.withLock { state in
            state.calls.append(Call(node: node, work: work, isRepeat: isRepeat, begun: .now))
            return state.calls.count - 1
        }
        let failure: String?
        do {
            switch work {
            case .draw: try await callers[node].drawCode(nonce)
            case .ask: _ = try await callers[node].status(of: nonce)
            case .end: try await callers[node].logOut(nonce)
            }
            failure = nil
        } catch { failure = "\(error)" }
        state.withLock { state in
            state.calls[number].ended = .now
            state.calls[number].failure = failure
        }
        return failure == nil
    }
}
