import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import HTTPCalls

/// The client ended the whole process over the first of these: the answer of any server that a link or an address leads to.
@Suite("Calls to servers that may be anybody", .timeLimit(.minutes(10)))
struct StatusCheckTests {
    private func call(_ server: RawServer, with client: HTTPClient) async throws -> (status: UInt, body: String) {
        let answer = try await client.execute(HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/"), timeout: .seconds(60))
        let body = String(buffer: try await answer.body.collect(upTo: 1_024))
        return (answer.status.code, body)
    }

    private func client() -> HTTPClient { HTTPClient(eventLoopGroupProvider: .singleton, configuration: .calls(connect: .seconds(10))) }

    @Test(
        "A status below 100 is a failed call, with a body and without one, and the next call is answered",
        arguments: ["000", "001", "099"],
        [
            "Content-Length: 5\r\n\r\nhello", "Content-Length: 0\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "Content-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "Connection: close\r\n\r\nwhatever",
        ])
    func none(_ status: String, _ rest: String) async throws {
        let hostile = try RawServer { connection in
            connection.send("HTTP/1.1 \(status) x\r\n\(rest)")
            connection.waitForEnd()
        }
        let honest = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        let client = client()
        await #expect(throws: StatusError(status: Int(status) ?? -1)) { _ = try await self.call(hostile, with: client) }
        // Until the connection is given up.
        while hostile.ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await call(honest, with: client) == (200, "hi"))
        try await client.shutdown()
    }

    @Test(
        "Interim answers are passed over, and every other status is the answer",
        arguments: [("100 Continue", 200), ("103 Early Hints", 404), ("", 500), ("", 600), ("", 999)])
    func taken(_ interim: String, _ status: UInt) async throws {
        let server = try RawServer { connection in
            if !interim.isEmpty { connection.send("HTTP/1.1 \(interim)\r\n\r\n") }
            connection.send("HTTP/1.1 \(status) x\r\nContent-Length: 2\r\n\r\nhi")
        }
        let client = client()
        #expect(try await call(server, with: client) == (status, "hi"))
        try await client.shutdown()
    }

    @Test("No redirect is followed, and nothing is unpacked")
    func plain() async throws {
        let server = try RawServer {
            $0.send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi")
        }
        let client = client()
        #expect(try await call(server, with: client) == (302, "hi"))
        try await client.shutdown()
    }
}
