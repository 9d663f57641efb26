import Authentication
import Database
import HTTPTypes
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Tokens of the service behind (protocol §8), from the phone to a socket", .againWithLostCommits, .timeLimit(.minutes(10)))
struct ServiceTokenTests {
    private static func run(
        _ service: ListeningService, patience: UInt64 = 10, log: LogRecorder? = nil,
        _ body: @Sendable @escaping (ServersFixture, EnrolledPhone, SessionID, _ secret: String) async throws -> Void
    ) async throws {
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice")
            let secret = try await service.stand(behind: servers, patience: patience)
            try await body(servers, phone, try #require(try await phone.logInApp().sessionID), secret)
        }
    }

    @Test("S0-27 S0-28 what the service answered is what the phone has, byte for byte, whatever the bytes are")
    func verbatim() async throws {
        let bytes: [UInt8] = Array("{\"access_token\" : \"x\"}\r\n".utf8) + [0x00, 0xFF, 0xC3, 0x28]
        try await Self.run(try ListeningService(giving: bytes)) { _, phone, session, _ in
            let token = try await phone.token(of: session)
            #expect(token == bytes)
        }
    }

    @Test("S0-30 the service is asked by a POST with our secret and what is known of the login, and never hears the webNonce")
    func request() async throws {
        let service = try ListeningService(giving: [1])
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice")
            let secret = try await service.stand(behind: servers)
            let login = try await phone.logInApp()
            let (session, webNonce) = (try #require(login.sessionID), try #require(login.webNonce))
            let call = CallID(using: SystemRandomSource())
            _ = try await phone.token(of: session, call)
            let asked = try #require(service.calls.last)
            #expect(asked.line == "POST /token HTTP/1.1" && asked.fields["authorization"] == "Bearer \(secret)")
            #expect(asked.fields["content-type"] == "application/json" && asked.fields["accept-encoding"] == "identity")
            let object = JSONObject(ByteBuffer(string: asked.body))
            #expect(
                object.names == [
                    "requestid", "serverid", "sid", "accountid", "userid", "deviceid", "logintime", "authtime", "amr", "acr", "binding",
                    "secondfactor",
                ])
            #expect(object.text("requestid") == Base64URL.encode(H(.call, session.bytes + call.bytes)))
            #expect(object.text("serverid") == servers.server.text && object.text("sid") == session.text && object.text("userid") == "alice")
            #expect(object.text("accountid") == phone.account.text && object.text("deviceid") == phone.phone.instance.text)
            #expect(object.number("logintime") == Int(servers.now.seconds) && object.text("acr") == "mfa" && object.text("binding") == "app")
            #expect(object.texts("amr") == ["mfa", "pin", "pop"] && object.texts("secondfactor") == ["pin"])
            #expect(!service.calls.contains { "\($0)".contains(webNonce) })
        }
    }

    @Test("A copy of the request is told that it is one and asks nobody; the message sealed anew asks again, under the same name")
    func repeated() async throws {
        let service = try ListeningService(giving: [1])
        try await Self.run(service) { _, phone, session, _ in
            let message = GetToken(sessionID: session, callID: CallID(using: SystemRandomSource()))
            let request = try phone.phone.sealFresh(message)
            #expect(try await phone.phone.send(request).status == .ok)
            #expect(try await phone.phone.send(request).status == .replayed)
            #expect(service.calls.count == 1)
            #expect(try await phone.phone.sendFresh(message).status == .ok)
            let names = service.calls.map { JSONObject(ByteBuffer(string: $0.body)).text("requestid") }
            #expect(names.count == 2 && names[0] == names[1])
        }
    }

    @Test("S0-32 before an operator says where the service is, and after they took it away, there is none")
    func notOffered() async throws {
        let service = try ListeningService(giving: [1])
        try await Self.run(service) { servers, phone, session, _ in
            #expect(try await phone.token(of: session) == [1])
            try await servers.service.tokenServices.remove(at: servers.server, by: .backend, now: servers.now)
            await #expect(throws: Status.notOffered) { try await phone.token(of: session) }
            #expect(service.calls.count == 1)
        }
    }

    @Test("Whoever is logged out while the service thinks has no token")
    func stoppedMeanwhile() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchedGate()
        let service = try ListeningService { connection in
            asking.finish()
            gate.wait()
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        }
        try await Self.run(service) { _, phone, session, _ in
            let token = Task { try await phone.token(of: session) }
            for await _ in asked {}
            try await phone.stop(session)
            gate.open()
            let outcome = await token.result
            #expect(throws: Status.sessionOver) { try outcome.get() }
        }
    }

    @Test("While a service thinks, others are answered: neither a transaction nor a thread waits for it")
    func nobodyWaits() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchedGate()
        let service = try ListeningService { connection in
            asking.yield()
            gate.wait()
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        }
        try await Self.run(service) { servers, phone, session, _ in
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 { group.addTask { try await phone.token(of: session) } }
                var waiting = 0
                for await _ in asked {
                    waiting += 1
                    if waiting == 8 { break }
                }
                // Reads and writes of the same account.
                #expect(try await phone.ping(session).state == .loggedIn)
                try await phone.logIn(try servers.nonce())
                gate.open()
                #expect(try await group.reduce(into: 0) { count, token in count += token == Array("x".utf8) ? 1 : 0 } == 8)
            }
        }
    }

    @Test("The secret is wrapped at rest, and stands in no line of the log, and nor does a token")
    func secret() async throws {
        let log = LogRecorder()
        let token = Array("a-token-that-nobody-else-sees".utf8)
        try await Self.run(try ListeningService(giving: token), log: log) { servers, phone, session, secret in
            _ = try await phone.token(of: session)
            #expect(try await servers.snapshot().contains { $0.hasPrefix("token_service: ") })
            let stored = try await servers.database.read { try $0.one("SELECT secret FROM token_service")?.blob("secret") }
            let bytes = try #require(stored)
            #expect(!bytes.contains(sequence: Array(secret.utf8)) && !log.text.contains(secret))
            #expect(!log.text.contains("a-token-that-nobody-else-sees"))
        }
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool { indices.contains { self[$0...].starts(with: sequence) } }
}
