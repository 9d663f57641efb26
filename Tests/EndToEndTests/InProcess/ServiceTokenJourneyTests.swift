import Foundation
import OstiaryMobile
import OstiaryTestTraits
import OstiaryTesting
import Testing

/// An app that is logged in gets what a service behind its server says: the SDK, both servers, and a socket of which the
/// test writes every byte. What the service says is no row.
@Suite("getToken, from the app to the service behind the server", .timeLimit(.minutes(10)))
struct ServiceTokenJourneyTests {
    private func loggedIn(in world: ServersFixture) async throws -> (phone: FixturePhone, session: Session) {
        let phone = try world.phone()
        try await world.enrol(phone, user: "alice")
        let session = try #require(try await phone.logInToApp().end.session)
        return (phone, session)
    }

    /// What comes of one call: a token, or an error of its session.
    private func outcome(_ phone: FixturePhone, _ session: Session) async throws -> Result<[UInt8], OstiaryError> {
        phone.ostiary.getToken(for: session)
        return try await phone.until { event in
            switch event {
            case .token(let token, let told) where told.id == session.id: .success(token.bytes)
            case .error(let error, let told?) where told.id == session.id: .failure(error)
            default: nil
            }
        }
    }

    @Test("S0-25 S0-26 S0-27 S0-28 S0-29 S0-30 what the service answers is what the app is told, byte for byte, JSON or not")
    func verbatim() async throws {
        try await ServersFixture.run { world in
            let (phone, session) = try await loggedIn(in: world)
            let json = Array("{ \"token_type\":\"Bearer\",\"expires_in\": 300,\n\"access_token\":\"x\",\"scope\":\"read\"}\r\n".utf8)
            for bytes in [json, [0x00, 0xFF, 0xFE, 0xC3, 0x28, 0x0D, 0x0A, 0x0D, 0x0A], [UInt8](repeating: 0x80, count: 65_000)] {
                let service = try RawServer.answering(bytes)
                try await world.backend.offer(service, as: .token)
                #expect(try await outcome(phone, session) == .success(bytes))
                #expect(service.requests.count == 1)
                let webNonce = try #require(session.webNonce)
                #expect(!service.requests.contains { $0.contains(webNonce) }, "the webNonce never leaves the server")
            }
        }
    }

    @Test("S0-02 S0-32 each fault of the service is an error of its own, and the login goes on; without a service it is not offered")
    func faults() async throws {
        try await ServersFixture.run { world in
            let (phone, session) = try await loggedIn(in: world)
            #expect(try await outcome(phone, session) == .failure(.notOffered))
            let faults: [(String, OstiaryError)] = [
                ("HTTP/1.1 403 x\r\ncontent-length: 0\r\n\r\n", .serviceRefused),
                ("HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n", .serviceUnavailable),
                ("HTTP/1.1 401 x\r\ncontent-length: 0\r\n\r\n", .serviceUnavailable),
                ("HTTP/1.1 302 x\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n", .serviceAnswer),
                ("HTTP/1.1 200 x\r\ncontent-length: 1048576\r\n\r\n", .serviceAnswer),
                ("HTTP/1.1 200 x\r\ncontent-length: 0\r\n\r\n", .serviceAnswer),
                ("HTTP/1.1 200 x\r\ncontent-length: 9\r\n\r\ncut", .serviceUnavailable), ("", .serviceUnavailable),
            ]
            for (answer, error) in faults {
                let service = try RawServer { $0.send(answer) }
                try await world.backend.offer(service, as: .token)
                #expect(try await outcome(phone, session) == .failure(error), "\(answer)")
                #expect(service.requests.count == 1, "\(answer)")
            }
            let silent = try RawServer { $0.waitForEnd() }
            try await world.backend.offer(silent, as: .token, timeout: 1)
            #expect(try await outcome(phone, session) == .failure(.serviceUnavailable))
            let good = try RawServer.answering([1])
            try await world.backend.offer(good, as: .token)
            #expect(try await outcome(phone, session) == .success([1]))
        }
    }

    @Test("S0-25 one call is one token, however often the phone has to ask: the service is told the same call each time", .onBothEngines)
    func once() async throws {
        try await ServersFixture.run { world in
            let (phone, session) = try await loggedIn(in: world)
            let service = try RawServer.answering([7])
            try await world.backend.offer(service, as: .token)
            // Answers that are lost after the service was asked; and a request that the network brings twice, whose second copy asks nobody.
            for (number, fault) in [Line.Fault.answerLost, .answerReplaced, .doubled].enumerated() { await world.line.lose(fault, at: number) }
            #expect(try await outcome(phone, session) == .success([7]))
            #expect(service.requests.count == 4)
            let calls = try service.requests.map { request in
                let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
                return try #require(try JSONLine(body)["requestid"]?.string)
            }
            #expect(Set(calls).count == 1)
        }
    }

    @Test("Whoever logs out while the service thinks is told no token", .onBothEngines)
    func loggedOutMeanwhile() async throws {
        try await ServersFixture.run { world in
            let (phone, session) = try await loggedIn(in: world)
            let (asked, asking) = AsyncStream.makeStream(of: Void.self)
            let gate = DispatchSemaphore(value: 0)
            let service = try RawServer { connection in
                asking.finish()
                gate.wait()
                connection.send("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx")
            }
            try await world.backend.offer(service, as: .token)
            phone.ostiary.getToken(for: session)
            for await _ in asked {}
            try await phone.ostiary.end(session)
            gate.signal()
            // What becomes of the call is told as its end, and by no token.
            _ = try await phone.until { event -> OstiaryError? in if case .error(let error, _) = event { error } else { nil } }
            let second = try #require(try await phone.logInToApp().end.session)
            let good = try RawServer.answering([2])
            try await world.backend.offer(good, as: .token)
            phone.ostiary.getToken(for: second)
            let told = try await phone.until { event -> (bytes: [UInt8], session: Session.ID)? in
                if case .token(let token, let session) = event { (token.bytes, session.id) } else { nil }
            }
            #expect(told.bytes == [2] && told.session == second.id, "the first token that anybody hears of")
        }
    }
}
