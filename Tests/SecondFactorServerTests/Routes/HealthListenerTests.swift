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

    @Test("In the last month of an operational key a root key that is withheld is told by readiness; given, it is not")
    func forgottenRootKey() async throws {
        let (database, clock, key) = (try openInMemory(), TestClock(), KeyEncryptionKey.random())
        let seed = SecretBytes(SeededRandom("root").bytes(32))
        func node(_ seed: SecretBytes?) async throws -> SecondFactorNode {
            try await SecondFactorNode(
                settings: SecondFactorNodeSettings(trustedRoots: [], rootSeed: seed), database: database, keyEncryptionKey: key,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, readinessLimit: .patientReadiness,
                clock: { clock.now })
        }
        func report(_ node: SecondFactorNode) async throws -> (status: HTTPResponse.Status, said: String) {
            try await Application(router: node.healthRouter).test(.router) { (client) async throws in
                let answer = try await client.execute(uri: "/ready?full=1", method: .get)
                return (answer.status, String(buffer: answer.body))
            }
        }
        _ = try await node(seed)
        let without = try await node(nil)
        clock.advance(59 * 86_400)
        #expect(try await report(without).status == .ok)
        clock.advance(2 * 86_400)
        let told = try await report(without)
        #expect(told.status == .serviceUnavailable && told.said.contains(#""root-key":"the root key is kept apart and was not given: "#))
        #expect(try await report(try await node(seed)).status == .ok)
    }

    @Test("What it does beside its answers, in the order in which it begins")
    func background() async throws {
        try await ServerFixture.run { (stage) async throws in
            #expect(stage.service.background.compactMap { ($0 as? PeriodicTask)?.name } == ["housekeeping", "readiness"])
        }
    }
}
