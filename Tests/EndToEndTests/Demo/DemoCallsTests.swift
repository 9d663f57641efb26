import Foundation
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import OstiaryPhone

@Suite("What the demonstration asks its own servers", .timeLimit(.minutes(10)))
struct DemoCallsTests {
    @Test("Method, fields and body go out as they are, and any status comes back with its fields and its body")
    func passes() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 409 Conflict\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nhi") }
        let address = try #require(server.url("/x?y=z")).absoluteString
        let answer = try await DemoCalls.send("POST", address, [(name: "X-nonce", value: "n")], body: Array("{}".utf8), limit: .seconds(60))
        #expect(answer.status == 409 && answer.headers.first(name: "Set-Cookie") == "a=b" && answer.body == Array("hi".utf8))
        let asked = try #require(server.requests.first)
        #expect(asked.hasPrefix("POST /x?y=z HTTP/1.1\r\n") && asked.contains("X-nonce: n\r\n") && asked.hasSuffix("\r\n\r\n{}"), "\(asked)")
    }

    @Test("Where nothing answers a probe says so")
    func nobody() async throws {
        let server = try RawServer { _ in }
        let address = try #require(server.url())
        #expect(await HTTPProbe.status(of: address) == nil, "it closes without a word")
    }

    @Test("A call that is given up at any moment of its beginning ends as one that failed: Ctrl-C ends no process in the midst of it")
    func givenUp() async throws {
        // An answer that never comes: only giving up ends these calls.
        let server = try RawServer { $0.waitForEnd() }
        let address = try #require(server.url()).absoluteString
        for yields in 0..<200 {
            let call = Task { try await DemoCalls.send("GET", address, limit: .seconds(3_600)) }
            for _ in 0..<yields { await Task.yield() }
            call.cancel()
            await #expect(throws: (any Error).self) { try await call.value }
        }
    }
}
