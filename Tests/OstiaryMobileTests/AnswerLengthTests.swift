import Foundation
import OstiaryProtocol
import Testing

@testable import OstiaryMobile

@Suite("Length of answers", .timeLimit(.minutes(10)))
struct AnswerLengthTests {
    private func request(_ port: UInt16) throws -> TransportRequest {
        TransportRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/ap1")), body: [1, 2, 3], timeout: 60)
    }

    /// 1 MiB of zeros in 1 037 bytes of deflate (RFC 1951), flushed, so that it may be repeated.
    private static let packedMegabyte: [UInt8] =
        [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0] + [UInt8](repeating: 0, count: 1_016)
        + [0x3E, 0x03, 0, 0, 0xFF, 0xFF]

    /// Waits until the server could send no more: one that is read to no end never can't.
    private func ends(_ server: EndlessServer) async throws { while !server.isCutOff { try await Task.sleep(for: .milliseconds(5)) } }

    @Test("A phone asks for answers that are not packed", arguments: [nil, [1, 2, 3]] as [[UInt8]?])
    func asksForIdentity(_ body: [UInt8]?) async throws {
        let server = try LoopbackServer(answers: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"])
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/ap1"))
        _ = try await URLSessionTransport().send(TransportRequest(url: url, body: body, timeout: 60))
        let fields = try #require(server.requests.first).lowercased().split(separator: "\r\n").filter { $0.hasPrefix("accept-encoding:") }
        // The client's own was “deflate, gzip, br, zstd”.
        #expect(fields == ["accept-encoding: identity"])
    }

    @Test(
        "A packed answer is refused by its head, whatever its status and however it is packed",
        arguments: [(200, "gzip"), (200, "GZIP"), (409, "gzip, gzip"), (500, "deflate"), (200, "identity, gzip")])
    func packed(_ status: Int, _ coding: String) async throws {
        // Nothing but the head comes: who wants to see the body first waits for it until the time is over.
        let server = try LoopbackServer(answers: ["HTTP/1.1 \(status) x\r\nContent-Encoding: \(coding)\r\nContent-Length: 600\r\n\r\n"])
        await #expect(throws: TransportError.encoded) { try await URLSessionTransport().send(try request(server.port)) }
    }

    @Test("One that says that it is not packed is an answer", arguments: ["identity", "Identity"])
    func notPacked(_ coding: String) async throws {
        let server = try LoopbackServer(answers: ["HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 2\r\n\r\nhi"])
        #expect(try await URLSessionTransport().send(try request(server.port)).body == Array("hi".utf8))
    }

    @Test("An answer that names a length beyond the longest is refused by its head, whatever its status", arguments: [200, 404, 409, 500])
    func namedLength(_ status: Int) async throws {
        let server = try LoopbackServer(answers: ["HTTP/1.1 \(status) x\r\nContent-Length: \(600 << 20)\r\n\r\n"])
        await #expect(throws: TransportError.tooLong) { try await URLSessionTransport().send(try request(server.port)) }
    }

    @Test("The longest answer is read whole, and one byte more is too long", arguments: [0, 1])
    func boundary(_ more: Int) async throws {
        let count = TransportResponse.longestBody + more
        // Without a length: counted as it arrives.
        let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + String(repeating: "x", count: count)
        let server = try LoopbackServer(answers: [answer])
        if more == 0 {
            #expect(try await URLSessionTransport().send(try request(server.port)).body.count == count)
        } else {
            await #expect(throws: TransportError.tooLong) { try await URLSessionTransport().send(try request(server.port)) }
        }
    }

    @Test("An answer without end is cut off, whatever its status: the server can send no more", arguments: [200, 409, 500])
    func endless(_ status: Int) async throws {
        let piece = Array("10000\r\n".utf8) + [UInt8](repeating: 0x41, count: 0x10000) + Array("\r\n".utf8)
        let server = try EndlessServer(head: Array("HTTP/1.1 \(status) x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8), piece: piece)
        await #expect(throws: TransportError.tooLong) { try await URLSessionTransport().send(try request(server.port)) }
        try await ends(server)
    }

    @Test("A packed answer without end is cut off: the server can send no more")
    func endlessPacked() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        let server = try EndlessServer(head: head, piece: Self.packedMegabyte)
        await #expect(throws: TransportError.encoded) { try await URLSessionTransport().send(try request(server.port)) }
        try await ends(server)
    }

    #if canImport(FoundationNetworking)
    @Test("What the client reports waits nowhere: a report is over before the client reads, or unpacks, the next piece")
    func reportsAtOnce() throws {
        // With a queue of its own, as URLSession makes one, reports of hundreds of megabytes waited for one that said to stop.
        let queue = try #require(URLSessionCalls.queue())
        let here = Thread.current
        nonisolated(unsafe) var seen: Thread?
        queue.addOperation { seen = Thread.current }
        #expect(seen === here)
    }
    #endif
}
