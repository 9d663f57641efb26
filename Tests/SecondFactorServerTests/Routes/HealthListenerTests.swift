import Database
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import SecondFactorServer
import Testing

@Suite("The health listener of the second-factor server")
struct HealthListenerTests {
    @Test("It tells health and answers no call: who reaches it reaches nothing that counts")
    func healthAlone() async throws {
        try await ServerFixture.run { (stage) async throws in
            let phone = try RawPhone("health")
            let asked = try phone.ask(try phone.question(.firstSet, payload: phone.payload()), try await stage.identity(), at: stage.now)
            let call = stage.server.ticketCall(asked, sequence: 0, at: stage.now)
            try await Application(router: stage.service.healthRouter).test(.router) { (client) async throws in
                for path in ["/live", "/ready", "/ready?full=1"] {
                    #expect(try await client.execute(uri: path, method: .get).status == .ok, "\(path)")
                }
                #expect(try await client.execute(uri: "/sf/identity", method: .get).status == .notFound)
                #expect(try await client.execute(uri: "/sf/call", method: .post, body: ByteBuffer(bytes: call)).status == .notFound)
            }
            #expect(try await stage.post(call).status == .ok)
        }
    }

    @Test(
        "A root key that is withheld is told by the full report, and is no reason not to be ready before the operational key ends; given, it is not told"
    )
    func forgottenRootKey() async throws {
        let (database, clock, key) = (try openInMemory(), TestClock(), KeyEncryptionKey.random())
        let seed = SecretBytes(SeededRandom("root").bytes(32))
        func node(_ seed: SecretBytes?) async throws -> SecondFactorNode {
            try await SecondFactorNode(
                SecondFactorNodeSettings(trustedRoots: [], rootSeed: seed), over: database, key: key, by: clock)
        }
        func report(_ node: SecondFactorNode, _ path: String = "/ready?full=1") async throws -> (status: HTTPResponse.Status, said: String) {
            try await Application(router: node.healthRouter).test(.router) { (client) async throws in
                let answer = try await client.execute(uri: path, method: .get)
                return (answer.status, String(buffer: answer.body))
            }
        }
        _ = try await node(seed)
        let without = try await node(nil)
        let words = #""root-key":"the root key is kept apart and was not given: "#
        let stages: [(UInt64, String)] = [
            (59, "nothing is due; start once with --root-key FILE after "), (30, "start again with --root-key FILE, or "),
        ]
        for (days, rest) in stages {
            clock.advance(days * 86_400)
            let told = try await report(without)
            #expect(told.status == .ok && told.said.contains(#""ready":true"#) && told.said.contains(words + rest))
            #expect(try await report(without, "/ready") == (.ok, #"{"ready":true}"#))
        }
        clock.advance(2 * 86_400)
        let over = try await report(without, "/ready")
        #expect(over.status == .serviceUnavailable && over.said.contains(#""keys":"no operational key is valid now, "#))
        let given = try await report(try await node(seed))
        #expect(given.status == .ok && given.said.contains(#""keys":"ok""#) && given.said.contains(#""root-key":"ok""#))
    }

    @Test("A clock ten days behind what the database has, or what it has shown itself, is told by the full report, and is no reason not to be ready")
    func clockBehind() async throws {
        let (database, clock, key) = (try openInMemory(), TestClock(), KeyEncryptionKey.random())
        func node() async throws -> SecondFactorNode {
            try await SecondFactorNode(SecondFactorNodeSettings(trustedRoots: []), over: database, key: key, by: clock)
        }
        func said(_ node: SecondFactorNode) async throws -> String {
            try await Application(router: node.healthRouter).test(.router) { (client) async throws in
                let answer = try await client.execute(uri: "/ready?full=1", method: .get)
                #expect(answer.status == .ok)
                return String(buffer: answer.body)
            }
        }
        let first = try await node()
        #expect(try await said(first).contains(#""clock":"ok""#))
        clock.setBack(864_000)
        let behind = try await node()
        #expect(try await said(behind).contains(#""clock":"the clock is behind "#))
        #expect(try await said(first).contains(#""clock":"the clock is behind "#), "one that was running as well")
        clock.advance(864_000)
        #expect(try await said(behind).contains(#""clock":"ok""#))
    }

    @Test("What it does beside its answers, in the order in which it begins")
    func background() async throws {
        try await ServerFixture.run { (stage) async throws in
            #expect(stage.service.background.compactMap { ($0 as? PeriodicTask)?.name } == ["housekeeping", "readiness"])
        }
    }
}
