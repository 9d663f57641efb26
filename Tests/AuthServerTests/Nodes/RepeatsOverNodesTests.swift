import Authentication
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// What a phone sends once more because it heard no answer, at whichever node has its turn then.
@Suite("The same request again, at another node", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct RepeatsOverNodesTests {
    private func world(_ body: @Sendable @escaping (NodesFixture, EnrolledPhone) async throws -> Void) async throws {
        try await NodesFixture.run(3) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            nodes.clock.advance(61)
            try await body(nodes, phone)
        }
    }

    /// What each node answers that is asked at once; nobody's answer where one says that it is busy with it.
    private func atOnce<Value: Sendable>(
        _ nodes: NodesFixture, _ ask: @Sendable @escaping (ServersFixture) async throws -> Value
    ) async -> [Value] {
        await withTaskGroup(of: Value?.self) { group in
            for node in nodes.nodes { group.addTask { try? await ask(node) } }
            return await group.reduce(into: [Value]()) { values, value in if let value { values.append(value) } }
        }
    }

    @Test("A100 a decision that is sent again at every node has its first outcome, and another decision about the same login does not")
    func decision() async throws {
        try await world { nodes, phone in
            let nonce = try nodes[0].nonce()
            let shown = try await phone.scan(try await nodes[0].link(nonce))
            let attempt = try shown.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            let answers = await atOnce(nodes) { node in
                try await shown.moved(to: node).send(try Encoded(decision.value, signedBy: phone.phone.sign))
            }
            #expect(!answers.isEmpty && answers.allSatisfy { $0.result == .loggedIn && $0.sessionID == shown.screen.sessionID })
            for node in nodes.nodes {
                let answer = try await shown.moved(to: node).send(try Encoded(decision.value, signedBy: phone.phone.sign))
                #expect(answer.result == .loggedIn && answer.sessionID == shown.screen.sessionID)
                #expect(try await node.status(of: nonce).state == .loggedIn)
            }
            let other = try shown.decision(.decline)
            for node in nodes.nodes { #expect(await node.refusal { try await shown.moved(to: node).send(other) } == .sessionOver) }
            #expect(try await nodes[1].status(of: nonce).state == .loggedIn)
        }
    }

    @Test("A100 a try that is sent again at every node counts once")
    func attempt() async throws {
        try await world { nodes, phone in
            let shown = try await phone.scan(try await nodes[0].link(try nodes[0].nonce()))
            let attempt = try shown.attempt()
            _ = await atOnce(nodes) { try await phone.moved(to: $0).phone.evaluate(attempt) }
            for node in nodes.nodes {
                let again = try await phone.moved(to: node).phone.evaluate(attempt)
                #expect(again.status == .ok && again.evaluation?.tries.failed == 1)
            }
            let next = try shown.attempt()
            #expect(try await phone.moved(to: nodes[2]).phone.evaluate(next).evaluation?.tries.failed == 2)
        }
    }

    @Test("A100 changes of one PIN at once, at three nodes: at most one is told that it counts, and exactly one epoch opens, at every node")
    func changes() async throws {
        try await world { nodes, phone in
            let voucher = try await phone.proveByPIN(.pinChangeVerify).attempt
            let told = await atOnce(nodes) { try await phone.moved(to: $0).setPIN(voucher, epoch: 2).epoch }
            #expect(told.count <= 1 && told.allSatisfy { $0 == 2 })
            var good: Set<UInt32> = []
            for epoch: UInt32 in [1, 2] {
                for node in nodes.nodes {
                    let shown = try await phone.moved(to: node).scan(try await node.link(try node.nonce()))
                    if (try? await shown.logInByPIN(epoch: epoch).result) == .loggedIn { good.insert(epoch) }
                }
            }
            #expect(good.count == 1 && (told.isEmpty || good == [2]), "\(good), and told \(told)")
        }
    }
}
