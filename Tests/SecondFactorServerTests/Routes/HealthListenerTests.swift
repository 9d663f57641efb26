import Hummingbird
import HummingbirdTesting
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
}
