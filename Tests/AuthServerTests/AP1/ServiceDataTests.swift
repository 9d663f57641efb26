import Authentication
import HTTPTypes
import NIOCore
import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import AuthServer

@Suite("Data of the service behind (protocol §10), from the phone to a socket", .againWithLostCommits, .timeLimit(.minutes(10)))
struct ServiceDataTests {
    private static func run(
        _ service: ListeningService, log: LogRecorder? = nil,
        _ body: @Sendable @escaping (ServersFixture, EnrolledPhone, _ secret: String) async throws -> Void
    ) async throws {
        try await ServersFixture.run(log: log) { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice")
            try await body(servers, phone, try await service.stand(behind: servers, as: .data))
        }
    }

    @Test("S0-03 the service hears which device asks and what, and that the level is the device's: also where the account is logged in by PIN")
    func request() async throws {
        let service = try ListeningService(giving: [0x00, 0xFF, 0xC3, 0x28])
        try await Self.run(service) { servers, phone, secret in
            let call = CallID(using: SystemRandomSource())
            #expect(try await phone.data([0xFF, 0], call) == [0x00, 0xFF, 0xC3, 0x28])
            let session = try #require(try await phone.logInApp().sessionID)
            #expect(try await phone.data([0xFF, 0], call) == [0x00, 0xFF, 0xC3, 0x28])
            for asked in service.calls {
                #expect(asked.line == "POST /token HTTP/1.1" && asked.fields["authorization"] == "Bearer \(secret)")
                #expect(asked.fields["content-type"] == "application/json" && asked.fields["accept-encoding"] == "identity")
                let object = JSONObject(ByteBuffer(string: asked.body))
                #expect(object.names == ["requestid", "serverid", "accountid", "userid", "deviceid", "level", "payload"])
                #expect(object.text("requestid") == Base64URL.encode(H(.call, phone.account.bytes + call.bytes + SHA([0xFF, 0]))))
                #expect(object.text("serverid") == servers.server.text && object.text("accountid") == phone.account.text)
                #expect(object.text("userid") == "alice" && object.text("deviceid") == phone.phone.instance.text)
                #expect(object.text("level") == "device" && object.text("payload") == "_wA")
                #expect(!asked.body.contains(session.text), "a login is no part of it")
            }
            #expect(service.calls.count == 2)
        }
    }

    @Test("The longest question and the longest answer go through")
    func longest() async throws {
        let most = [UInt8](repeating: 0x80, count: 65_000)
        let service = try ListeningService(giving: most)
        try await Self.run(service) { _, phone, _ in
            #expect(try await phone.data(most) == most)
            let body = try #require(service.calls.first?.body)
            #expect(JSONObject(ByteBuffer(string: body)).text("payload") == Base64URL.encode(most))
        }
    }

    @Test("A copy of the request asks nobody; an answer opens with its own request only, not with another of the same phone")
    func bound() async throws {
        let service = try ListeningService(giving: [1])
        try await Self.run(service) { servers, phone, _ in
            let messages = try (0..<2).map { _ in
                try #require(GetData(accountID: phone.account, callID: CallID(using: SystemRandomSource()), payload: [1]))
            }
            let requests = try messages.map { try phone.phone.sealFresh($0) }
            #expect(try await phone.phone.send(requests[0]).status == .ok)
            #expect(try await phone.phone.send(requests[0]).status == .replayed)
            #expect(service.calls.count == 1)
            let second = try await servers.post(requests[1].bytes)
            #expect(throws: ExchangeError.cannotOpen) {
                try requests[0].open(second.body, from: phone.phone.bundle.operatorKeys, clock: servers.now)
            }
            #expect(try requests[1].open(second.body, from: phone.phone.bundle.operatorKeys, clock: servers.now).status == .ok)
        }
    }

    @Test("Of eight tries of one call at once one asks the service, and while it thinks others are answered: no transaction waits, and no thread")
    func nobodyWaits() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchedGate()
        let service = try ListeningService { connection in
            asking.yield()
            gate.wait()
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
        }
        try await Self.run(service) { servers, phone, _ in
            let call = CallID(using: SystemRandomSource())
            try await withThrowingTaskGroup(of: Result<[UInt8], Status>.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do { return .success(try await phone.data([1], call)) } catch let status as Status { return .failure(status) }
                    }
                }
                for _ in 0..<7 { #expect(try await group.next() == .failure(.busy)) }
                for await _ in asked { break }
                // Reads and writes of the same account.
                try await phone.logIn(try servers.nonce())
                gate.open()
                #expect(try await group.next() == .success(Array("x".utf8)))
            }
            #expect(service.calls.count == 1)
        }
    }

    @Test("Wrong, cut, huge and packed answers are told apart; one without a byte is an answer, because a write may have nothing to say")
    func faults() async throws {
        let faults: [(String, Status)] = [
            ("HTTP/1.1 403 x\r\ncontent-length: 0\r\n\r\n", .serviceRefused), ("HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n", .serviceUnavailable),
            ("HTTP/1.1 401 x\r\ncontent-length: 0\r\n\r\n", .serviceUnavailable), ("HTTP/1.1 204 x\r\n\r\n", .serviceAnswer),
            ("HTTP/1.1 200 x\r\ncontent-length: 1048576\r\n\r\n", .serviceAnswer),
            ("HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\ncut", .serviceUnavailable), ("", .serviceUnavailable),
            ("HTTP/1.1 200 x\r\ncontent-length: 1\r\ncontent-encoding: gzip\r\n\r\nx", .serviceAnswer),
        ]
        try await ServersFixture.run { servers in
            let phone = try await TestPhone(servers).enrol(try servers.nonce(), userID: "alice")
            for (answer, status) in faults {
                let service = try ListeningService { $0.send(answer) }
                try await service.stand(behind: servers, as: .data)
                await #expect(throws: status, "\(answer)") { try await phone.data([1]) }
            }
            let silent = try ListeningService { $0.send("HTTP/1.1 200 x\r\ncontent-length: 0\r\n\r\n") }
            try await silent.stand(behind: servers, as: .data)
            #expect(try await phone.data([1]) == [])
        }
    }

    @Test("The secret is wrapped at rest; neither it nor a question nor an answer stands in a line of the log or in a row")
    func secret() async throws {
        let log = LogRecorder()
        let answer = Array("an-answer-that-nobody-else-sees".utf8)
        try await Self.run(try ListeningService(giving: answer), log: log) { servers, phone, secret in
            #expect(try await phone.data(Array("a-question-that-nobody-else-sees".utf8)) == answer)
            let rows = try await servers.snapshot()
            #expect(rows.contains { $0.hasPrefix("data_service: ") })
            for text in [secret, "that-nobody-else-sees"] {
                #expect(!log.text.contains(text) && !rows.contains { $0.contains(text) })
            }
        }
    }
}
