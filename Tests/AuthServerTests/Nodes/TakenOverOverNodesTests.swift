import Authentication
import Database
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

/// Both nodes ask one second-factor server, which tells them what it likes.
@Suite(
    "A second-factor server that was taken over, over several nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct TakenOverOverNodesTests {
    @Test("A103 What it says to one node alone is held against the rows of both: one number of a try counts, and a login is one at both")
    func eachAnother() async throws {
        let key = KeyEncryptionKey.random()
        try await NodesFixture.run(2, secondFactorKey: key) { nodes in
            let liar = try await nodes[0].takeOver(with: key)
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            let nonce = try nodes[0].nonce()
            let shown = try await phone.scan(try await nodes[0].link(nonce))
            let attempt = try shown.attempt()
            let told = Mutex<UInt64>(0)
            liar.lie(about: phone.phone.instance) { call in
                let number = told.withLock { number in
                    number += 1
                    return number
                }
                return .said(.ok, of: call.attempt, highest: number)
            }
            for node in nodes.nodes { #expect(try await phone.moved(to: node).phone.status(of: attempt) == .ok) }

            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            let (secondFactorKey, now) = (phone.phone.raw.secondFactorPublicKey, nodes.clock.now)
            // The number that the first node was told, which is not the one that counts.
            liar.say(about: phone.phone.instance) { proof in
                .said(
                    .ok, of: proof.attemptID, highest: 1,
                    receipt: liar.receipt(for: proof, number: 1, secondFactorKey: secondFactorKey, at: now))
            }
            for node in nodes.nodes { #expect(await node.refusal { try await shown.moved(to: node).send(decision) } == .refused) }
            for node in nodes.nodes { #expect(!(try await node.status(of: nonce).loggedIn)) }

            liar.say(about: phone.phone.instance) { proof in .said(.blocked, of: proof.attemptID) }
            #expect(await nodes[0].refusal { try await shown.moved(to: nodes[0]).send(decision) } == .blocked)
            liar.say(about: phone.phone.instance) { proof in
                .said(
                    .ok, of: proof.attemptID, highest: 2,
                    receipt: liar.receipt(for: proof, number: 2, secondFactorKey: secondFactorKey, at: now))
            }
            #expect(try await shown.moved(to: nodes[1]).send(decision).result == .loggedIn)
            // What is decided is asked of nobody again.
            liar.say(about: phone.phone.instance) { proof in .said(.blocked, of: proof.attemptID) }
            for node in nodes.nodes {
                #expect(try await shown.moved(to: node).send(decision).result == .loggedIn)
                #expect(try await node.status(of: nonce).loggedIn)
            }
        }
    }
}

extension TestPhone {
    /// What a try is answered, whatever stands in it.
    fileprivate func status(of attempt: TestAttempt) async throws -> Status {
        try await send(try m1(attempt).message.bytes, attempt.ephemeral).status
    }
}

extension TakenOverSecondFactor {
    /// Answers proofs alone.
    fileprivate func say(about instance: InstanceID, _ answer: @Sendable @escaping (Proof) -> SecondFactorAnswer) {
        lie(about: instance) { call in
            guard case .proof(let proof) = call else { return nil }
            return answer(proof)
        }
    }
}
