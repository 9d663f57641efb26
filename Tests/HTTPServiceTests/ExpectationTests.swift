import Foundation
import HTTPService
import Hummingbird
import NIOCore
import Testing

@Suite("Expectations", .timeLimit(.minutes(10)))
struct ExpectationTests {
    private static let invited = "HTTP/1.1 100 Continue\r\n\r\n"

    private func router(limits: ServiceLimits = .standard) -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: limits)
        router.get("/who") { _, _ in "somebody" }
        router.post("/closed") { _, _ -> String in throw ErrorResponse.unauthorized }
        router.post("/echo") { request, _ in ByteBuffer(bytes: try await request.bytes(limit: limits.body)) }
        return router
    }

    private func head(_ line: String, _ fields: String...) -> [UInt8] {
        Array(([line, "Host: x"] + fields).joined(separator: "\r\n").utf8) + Array("\r\n\r\n".utf8)
    }

    /// Nothing came, and the connection was closed when the time of arrival was over.
    @Test("Who waits with a body is told 100 when it is read, and is answered when the body came", arguments: ["100-continue", "100-Continue"])
    func invites(word: String) async throws {
        try await RunningServer.with(router()) { server in
            for (framing, body) in [("Content-Length: 5", "hello"), ("Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")] {
                let asked = head("POST /echo HTTP/1.1", "Expect: \(word)", framing, "Connection: close")
                let connection = try await HeldConnection(port: server.port, sending: asked)
                #expect(await connection.firstAnswer() == Self.invited)
                try await connection.send(Array(body.utf8))
                let answer = try await connection.end()
                #expect(answer.hasPrefix(Self.invited + "HTTP/1.1 200 ") && answer.hasSuffix("\r\n\r\nhello"))
                #expect(answer.components(separatedBy: " 100 Continue").count == 2)
            }
        }
    }

    /// It was refused, too, but not told that the connection is over.
    @Test("Who is refused before the body is read is never asked for it, is told that the connection ends, and it does")
    func refuses() async throws {
        let limits = ServiceLimits(body: 100, idle: .hours(1), arrival: .hours(1))
        try await RunningServer.with(router(limits: limits), limits: limits) { server in
            for (line, length, status) in [("POST /echo", 101, 413), ("POST /closed", 5, 401), ("POST /nowhere", 5, 404), ("PUT /who", 5, 405)] {
                let asked = head("\(line) HTTP/1.1", "Expect: 100-continue", "Content-Length: \(length)")
                let answer = try await HeldConnection(port: server.port, sending: asked).end()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            }
        }
    }

    /// It was, for two seconds.
    @Test(
        "After an answer that ends the connection nothing is a request any more: neither what came before the answer was read nor what comes after it"
    )
    func lastWord() async throws {
        let next = head("GET /who HTTP/1.1")
        try await RunningServer.with(router()) { server in
            for expectation in ["100-continue", "200-ok"] {
                let asked = head("POST /closed HTTP/1.1", "Expect: \(expectation)", "Content-Length: 5") + Array("hello".utf8)
                let together = try await HeldConnection(port: server.port, sending: asked + next + next)
                let apart = try await HeldConnection(port: server.port, sending: asked)
                let first = try #require(await apart.firstAnswer())
                #expect(first.lowercased().contains("\r\nconnection: close\r\n"), "\(first)")
                // The server may have closed it by now.
                try? await apart.send(next)
                for connection in [together, apart] {
                    let answer = try await connection.end()
                    #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2 && !answer.contains("somebody"), "\(answer)")
                }
            }
        }
    }

    /// Was answered as if nothing had been expected.
    @Test("An expectation that nobody knows is 417, also beside one that is known")
    func unknown() async throws {
        try await RunningServer.with(router()) { server in
            for words in ["200-ok", "100-continue, 200-ok", "100-continue;q=1"] {
                let asked = head("POST /echo HTTP/1.1", "Expect: \(words)", "Content-Length: 5")
                let answer = try await HeldConnection(port: server.port, sending: asked).end()
                #expect(answer.hasPrefix("HTTP/1.1 417 ") && answer.contains("expectation_failed"), "\(answer)")
            }
        }
    }

    @Test("HTTP/1.0 has no expectations, and a request without a body nothing to wait with: no 100, and the answer as ever")
    func none() async throws {
        try await RunningServer.with(router()) { server in
            let old = head("POST /echo HTTP/1.0", "Expect: 100-continue", "Content-Length: 5", "Connection: close") + Array("hello".utf8)
            let odd = head("POST /echo HTTP/1.0", "Expect: 200-ok", "Content-Length: 5", "Connection: close") + Array("hello".utf8)
            let empty = head("POST /echo HTTP/1.1", "Expect: 100-continue", "Content-Length: 0", "Connection: close")
            let get = head("GET /who HTTP/1.1", "Expect: 100-continue", "Connection: close")
            for request in [old, odd, empty, get] {
                let answer = try await HeldConnection(port: server.port, sending: request).end()
                #expect(answer.contains(" 200 ") && !answer.contains(" 100 ") && !answer.contains(" 417 "), "\(answer)")
            }
        }
    }

    @Test("A 100 stands behind the answers to the requests before it")
    func order() async throws {
        try await RunningServer.with(router()) { server in
            let asked = head("POST /echo HTTP/1.1", "Expect: 100-continue", "Content-Length: 5", "Connection: close")
            let both = head("GET /who HTTP/1.1") + asked + Array("hello".utf8)
            let answer = try await HeldConnection(port: server.port, sending: both).end()
            let statuses = answer.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses == ["200", "100", "200"], "\(answer)")
        }
    }

    @Test("Who was asked for a body has no more time and no more bytes than anybody else")
    func limited() async throws {
        let limits = ServiceLimits(body: 100, idle: .hours(1), arrival: .seconds(1))
        try await RunningServer.with(router(limits: limits), limits: limits) { server in
            let silent = head("POST /echo HTTP/1.1", "Expect: 100-continue", "Content-Length: 5")
            var told = ""
            // On a machine that is busy for that long it may be cut off before it is asked.
            for _ in 0..<9 where told.isEmpty { told = try await HeldConnection(port: server.port, sending: silent).end() }
            #expect(told == Self.invited)
            let chunk = Array(("78\r\n" + String(repeating: "x", count: 120) + "\r\n").utf8)
            let large = head("POST /echo HTTP/1.1", "Expect: 100-continue", "Transfer-Encoding: chunked") + chunk
            var refused = ""
            for _ in 0..<9 where !refused.contains(" 413 ") { refused = try await HeldConnection(port: server.port, sending: large).end() }
            #expect(refused.hasPrefix(Self.invited + "HTTP/1.1 413 "))
        }
    }
}
