import AsyncHTTPClient
import HTTPCalls
import NIOCore
import NIOHTTP1
import OstiaryTesting
import Testing

/// The client is a library, and a server that may be anybody speaks to it. What it takes for an answer is its own affair; that it goes on is ours.
@Suite("Answers that nobody should send", .timeLimit(.minutes(10)))
struct HostileAnswerTests {
    private static let limit = TimeAmount.seconds(60)

    @Test("Whatever is answered, the call ends, and an honest server's answer is taken after it", arguments: 1...8 as ClosedRange<UInt64>)
    func made(seed: UInt64) async throws {
        let server = try RawServer { connection in
            // The path is the number of the answer.
            let number = UInt64(connection.request.split(separator: " ").dropFirst().first?.dropFirst() ?? "") ?? 0
            connection.send(HostileAnswer(number).bytes)
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .calls(connect: .seconds(10)))
        for number in seed * 1_000..<seed * 1_000 + 150 {
            do {
                let answer = try await client.execute(HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/\(number)"), timeout: Self.limit)
                _ = try await answer.body.collect(upTo: 1 << 20)
            } catch is CancellationError { throw CancellationError() } catch {}
        }
        let honest = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi") }
        let answer = try await client.execute(HTTPClientRequest(url: "http://127.0.0.1:\(honest.port)/"), timeout: Self.limit)
        #expect(answer.status == .ok)
        try await client.shutdown()
    }
}

/// One answer of a stranger: pieces of HTTP/1.1, most of them right by themselves, put together by a number.
private struct HostileAnswer {
    let bytes: [UInt8]

    init(_ number: UInt64) {
        var random = SplitMix(seed: number)
        var text = ""
        for _ in 0..<Int.random(in: 1...3, using: &random) { text += Self.answer(&random) }
        var bytes = Array(text.utf8)
        // A spoiled byte, or an end too early, now and then.
        if random.next() % 4 == 0 { bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random) }
        if random.next() % 8 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        self.bytes = bytes
    }

    private static func answer(_ random: inout SplitMix) -> String {
        let version = pick(["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTP/1.1"], &random)
        let status = pick(statuses, &random)
        var text = "\(version) \(status)\(pick([" OK", "", " ", " a b c"], &random))\(pick(["\r\n", "\r\n", "\r\n", "\n"], &random))"
        for _ in 0..<Int.random(in: 0...4, using: &random) { text += pick(fields, &random) + "\r\n" }
        return text + "\r\n" + pick(bodies, &random)
    }

    private static let statuses = [
        "200", "000", "099", "100", "101", "103", "199", "204", "205", "206", "304", "302", "401", "407", "500", "999", "1000", "-1",
    ]
    private static let fields = [
        "Content-Length: 5", "Content-Length: 0", "Content-Length: 18446744073709551615", "Content-Length: 99999999999999999999",
        "Content-Length: -5",
        "Content-Length: 5, 5", "Content-Length: 5, 6", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Connection: close", "Connection: keep-alive", "Connection: upgrade", "Upgrade: h2c", "Trailer: a", "Content-Encoding: gzip", "Location: /",
        "Date: \u{FFFD}", ": a", "a", " a: b", "a:" + String(repeating: "b", count: 20_000), "Expect: 100-continue", "Proxy-Authenticate: Basic",
    ]
    private static let bodies = [
        "hello", "", "5\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\na: b\r\n\r\n",
        "FFFFFFFFFFFFFFFF\r\nhello", "-1\r\nhello\r\n", "0;a=b\r\n\r\n",
        "5;\r\nhello0\r\n",
        "0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "\r\n\r\n\r\n", "\u{0}\u{0}\u{0}", "HTTP/1.1 ",
    ]

    private static func pick(_ from: [String], _ random: inout SplitMix) -> String {
        from[Int(random.next() % UInt64(from.count))]
    }
}
