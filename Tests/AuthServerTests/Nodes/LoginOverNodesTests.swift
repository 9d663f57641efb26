import Authentication
import HTTPTypes
import HummingbirdTesting
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

/// Behind a load balancer that sends each request wherever it likes.
@Suite("A login over several nodes", .enabled(if: PostgreSQLCluster.isInstalled), .timeLimit(.minutes(10)))
struct LoginOverNodesTests {
    @Test("A code drawn by one node is scanned at a second, confirmed at a third and pinged at a fourth, with the bundle of the first")
    func eachStepElsewhere() async throws {
        try await NodesFixture.run(4) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            nodes.clock.advance(61)
            let nonce = try nodes[0].nonce()
            let link = try await nodes[0].link(nonce)
            let shown = try await phone.moved(to: nodes[1]).scan(link)
            let login = try await shown.moved(to: nodes[2]).logInByPIN()
            let session = try #require(login.sessionID)
            nodes.clock.advance(1)
            #expect(try await phone.moved(to: nodes[3]).ping(session).state == .loggedIn)
            for node in nodes.nodes { #expect(try await node.status(of: nonce).state == .loggedIn) }
        }
    }

    @Test("Also the try of a PIN and the decision that follows it go to two nodes, and an enrolment to as many as it has steps")
    func tryAndDecision() async throws {
        try await NodesFixture.run(3) { nodes in
            let nonce = try nodes[0].nonce()
            let enrolling = try await TestPhone(nodes[0]).moved(to: nodes[1]).scan(try await nodes[0].invite(nonce))
            let setting = try enrolling.attempt()
            let first = try #require(try await enrolling.phone.moved(to: nodes[2]).evaluate(setting).evaluation)
            let accepted = try await enrolling.phone.moved(to: nodes[0]).send(try enrolling.acceptance(setting, first).bytes, enrolling.ephemeral)
            #expect(accepted.status == .ok)
            let outcome = try await nodes[1].services.enrolments.confirm(
                nonce, code: enrolling.code, at: nodes[1].server, by: .backend, now: nodes.clock.now)
            let account = enrolling.screen.accountID
            #expect(outcome == .activated(account))
            let phone = EnrolledPhone(phone: enrolling.phone, account: account, enrolling: enrolling)
            nodes.clock.advance(61)
            let shown = try await phone.moved(to: nodes[2]).scan(try await nodes[1].link(try nodes[1].nonce()))
            let attempt = try shown.attempt()
            #expect(try await shown.moved(to: nodes[0]).owner.phone.evaluate(attempt).status == .ok)
            let decision = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(try await shown.moved(to: nodes[1]).send(decision).result == .loggedIn)
        }
    }

    @Test("A stop that one node has acknowledged is no login at any other in the very next read, whoever stopped it")
    func stops() async throws {
        try await NodesFixture.run(3) { nodes in
            let phone = try await TestPhone(nodes[0]).enrol(try nodes[0].nonce())
            for number in nodes.nodes.indices {
                for isByPhone in [true, false] {
                    nodes.clock.advance(61)
                    let node = nodes[number]
                    let nonce = try node.nonce()
                    let session = try #require(try await phone.moved(to: node).logIn(nonce).sessionID)
                    for other in nodes.nodes { #expect(try await other.status(of: nonce).state == .loggedIn) }
                    if isByPhone {
                        try await phone.moved(to: node).stop(session)
                    } else {
                        try await node.services.sessions.logOut(nonce, at: node.server, by: .backend, now: node.now)
                    }
                    for other in nodes.nodes { #expect(try await other.status(of: nonce).state != .loggedIn) }
                }
            }
        }
    }
}
