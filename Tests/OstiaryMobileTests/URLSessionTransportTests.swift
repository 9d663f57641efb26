import Foundation
import OstiaryMobile
import Testing

@Suite("HTTP client", .timeLimit(.minutes(1)))
struct URLSessionTransportTests {
    private func request(_ server: LoopbackServer, body: [UInt8]? = [1, 2, 3], timeout: Double = 10) throws -> TransportRequest {
        TransportRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/ap1")), body: body, timeout: timeout)
    }

    @Test("A message is posted as bytes, and the answer's status and bytes come back")
    func posts() async throws {
        let server = try LoopbackServer(answers: ["HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\nhi"])
        let response = try await URLSessionTransport().send(try request(server))
        #expect(response == TransportResponse(status: 409, body: Array("hi".utf8)))
        let seen = try #require(server.requests.first)
        #expect(seen.hasPrefix("POST /ap1 HTTP/1.1\r\n"))
        #expect(seen.lowercased().contains("content-type: application/octet-stream"))
    }

    @Test("No cookie is kept and no redirect is followed")
    func keepsNothing() async throws {
        let answer = "HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        let server = try LoopbackServer(answers: [answer, answer])
        let transport = URLSessionTransport()
        #expect(try await transport.send(try request(server)).status == 302)
        #expect(try await transport.send(try request(server, body: nil)).status == 302)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("cookie") && !$0.contains("elsewhere") })
    }

    @Test("A server that says nothing is unreachable when the time is over")
    func silence() async throws {
        let server = try LoopbackServer(answers: [])
        let began = ContinuousClock.now
        await #expect(throws: TransportError.unreachable) { try await URLSessionTransport().send(try request(server, timeout: 0.3)) }
        #expect(ContinuousClock.now - began < .seconds(5))
    }

    @Test("Nobody there is unreachable at once")
    func nobody() async throws {
        let nobody = try LoopbackServer(answers: [], listens: false)
        await #expect(throws: TransportError.unreachable) { try await URLSessionTransport().send(try request(nobody, body: nil, timeout: 5)) }
    }

    @Test("A cancelled call ends at once, also one that was cancelled before it began")
    func cancels() async throws {
        let server = try LoopbackServer(answers: [])
        let message = try request(server, timeout: 30)
        let transport = URLSessionTransport()
        let call = Task { () throws(TransportError) in try await transport.send(message) }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        call.cancel()
        await #expect(throws: TransportError.cancelled) { try await call.value }
        let early = Task { () throws(TransportError) in
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
            return try await transport.send(message)
        }
        early.cancel()
        await #expect(throws: TransportError.cancelled) { try await early.value }
    }

    @Test("An answer longer than any of ours is cut off")
    func tooLong() async throws {
        let server = try LoopbackServer(answers: ["HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 1_000_000)])
        await #expect(throws: TransportError.tooLong) { try await URLSessionTransport().send(try request(server)) }
    }

    @Test("Anything but https and this machine is not even tried", arguments: ["http://192.0.2.1/", "ftp://127.0.0.1/", "http://login.example/"])
    func addresses(_ text: String) async throws {
        let url = try #require(URL(string: text))
        await #expect(throws: TransportError.addressRefused) {
            try await URLSessionTransport().send(TransportRequest(url: url, body: [], timeout: 5))
        }
    }
}
