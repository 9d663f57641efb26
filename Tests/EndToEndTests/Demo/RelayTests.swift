import AsyncHTTPClient
import Foundation
import HTTPService
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

/// The relay that stands before each server of the demonstration.
@Suite("The relays of the demonstration")
struct RelayTests {
    /// Hears everything that passes.
    private final class Ears: RelayTap {
        let heard = Mutex<[String]>([])
        let parts = Mutex<[UInt8]>([])

        func heard(_ method: HTTPRequest.Method, _ path: String, _ body: [UInt8]) async -> AnswerTap? {
            heard.withLock { $0.append("\(method.rawValue) \(path) \(body.count)") }
            guard path == "/collected" else { return nil }
            return { status, body in self.heard.withLock { $0.append("\(status) \(body.count)") } }
        }

        func watched(_ path: String, _ headers: HTTPFields) -> PartTap? { { part in self.parts.withLock { $0 += part } } }
    }

    /// A server, a relay before it, and a client of the relay.
    private func between(
        framedBy: String? = nil, _ body: @Sendable @escaping (HTTPClient, _ origin: String, Ears) async throws -> Void
    ) async throws {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/page") { request, _ in
            Response(
                status: .ok,
                headers: [
                    .contentType: "text/html", .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
                    HTTPField.Name("X-Frame-Options")!: "DENY", .setCookie: "a=b", HTTPField.Name("X-Seen-Host")!: request.head.authority ?? "",
                ], body: ResponseBody(byteBuffer: ByteBuffer(string: "a page")))
        }
        router.post("/collected") { request, _ in Response.octets(Array(try await request.bytes().reversed())) }
        router.get("/moved") { _, _ in Response(status: .seeOther, headers: [.location: "/page"]) }
        router.get("/stream") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "data: 1\n\n"))
                    // Never ends by itself: what was written has to arrive all the same.
                    try await Task.sleep(for: .seconds(3_600))
                })
        }
        let (ears, client) = (Ears(), Relay.makeClient())
        let (behind, front) = (try ReservedPort(), try ReservedPort())
        let relay = Relay(to: behind.number, client: client, tap: ears, framedBy: framedBy)
        let listeners = [
            Listener("server", at: ListenAddress(host: "127.0.0.1", port: behind.number), router: router),
            Listener("relay", at: ListenAddress(host: "127.0.0.1", port: front.number), router: relay.router),
        ]
        let runner = ServerRunner(logger: Logger.service("test", level: .critical), drain: DrainSignal(), drainTime: .seconds(1))
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let running = Task { try await runner.run(listeners, stopsOnSignals: false) { _ in open.finish() } }
        for await _ in opened {}
        let outcome: Result<Void, any Error>
        do {
            try await body(client, "http://127.0.0.1:\(front.number)", ears)
            outcome = .success(())
        } catch { outcome = .failure(error) }
        running.cancel()
        _ = try? await running.value
        try await client.shutdown()
        try outcome.get()
    }

    @Test("Bodies, headers, cookies, refusals and redirects pass as they are; Host is the one that was asked", .timeLimit(.minutes(10)))
    func asTheyAre() async throws {
        try await between { client, origin, ears in
            let page = try await client.execute(HTTPClientRequest(url: origin + "/page"), deadline: .distantFuture)
            #expect(page.headers["set-cookie"] == ["a=b"] && page.headers["x-frame-options"] == ["DENY"])
            #expect("http://" + (page.headers.first(name: "x-seen-host") ?? "") == origin)
            #expect(String(buffer: try await page.body.collect(upTo: 100)) == "a page")
            var post = HTTPClientRequest(url: origin + "/collected")
            post.method = .POST
            post.body = .bytes(ByteBuffer(bytes: [1, 2, 3]))
            let answer = try await client.execute(post, deadline: .distantFuture)
            #expect(Array(buffer: try await answer.body.collect(upTo: 100)) == [3, 2, 1])
            let moved = try await client.execute(HTTPClientRequest(url: origin + "/moved"), deadline: .distantFuture)
            #expect(moved.status == .seeOther && moved.headers["location"] == ["/page"])
            #expect(try await client.execute(HTTPClientRequest(url: origin + "/none"), deadline: .distantFuture).status == .notFound)
            #expect(ears.heard.withLock(\.self) == ["GET /page 0", "POST /collected 3", "200 3", "GET /moved 0", "GET /none 0"])
        }
    }

    @Test("The demonstration's own page may show pages in a frame, and nobody else; nothing else of a policy is changed", .timeLimit(.minutes(10)))
    func frames() async throws {
        try await between(framedBy: "http://localhost:1") { client, origin, _ in
            let page = try await client.execute(HTTPClientRequest(url: origin + "/page"), deadline: .distantFuture)
            #expect(page.headers["content-security-policy"] == ["default-src 'none'; frame-ancestors http://localhost:1"])
            #expect(page.headers["x-frame-options"].isEmpty)
        }
    }

    @Test("What comes in parts passes in parts, while the rest is still to come", .timeLimit(.minutes(10)))
    func streams() async throws {
        try await between { client, origin, ears in
            let answer = try await client.execute(HTTPClientRequest(url: origin + "/stream"), deadline: .distantFuture)
            var parts = answer.body.makeAsyncIterator()
            #expect(try await parts.next().map { String(buffer: $0) } == "data: 1\n\n")
            #expect(ears.parts.withLock(\.self) == Array("data: 1\n\n".utf8))
        }
    }

    @Test("A server that does not answer is a gateway's failure, which phones take for no answer", .timeLimit(.minutes(10)))
    func gone() async throws {
        let (client, port) = (Relay.makeClient(), try ReservedPort())
        let relay = Relay(to: port.number, client: client, tap: Ears())
        let front = try ReservedPort()
        let listener = Listener("relay", at: ListenAddress(host: "127.0.0.1", port: front.number), router: relay.router)
        let runner = ServerRunner(logger: Logger.service("test", level: .critical), drain: DrainSignal(), drainTime: .seconds(1))
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let running = Task { try await runner.run([listener], stopsOnSignals: false) { _ in open.finish() } }
        for await _ in opened {}
        let answer = try await client.execute(HTTPClientRequest(url: "http://127.0.0.1:\(front.number)/ap1"), deadline: .distantFuture)
        #expect(answer.status == .badGateway)
        running.cancel()
        _ = try? await running.value
        try await client.shutdown()
    }

    @Test(
        "A relay speaks to its own server, and takes paths only: a tunnel and every other target is refused, nobody else is asked, and it goes on",
        .timeLimit(.minutes(10)))
    func targets() async throws {
        let stranger = try RawServer { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        try await between { client, origin, ears in
            let port = try #require(try PublicURL(parsing: origin).port)
            let lines = [
                // A name that reads like a scheme leaves its port alone as the path: digits that made the server's own port one that there is not.
                ("CONNECT evil.example:443", 405), ("CONNECT x@127.0.0.1:\(stranger.port)", 405), ("GET 443", 400), ("GET *", 400),
                ("OPTIONS *", 204), ("GET @127.0.0.1:\(stranger.port)/", 400), ("GET x@127.0.0.1:\(stranger.port)/page", 400),
                ("POST evil.example:443", 400), ("GET .evil.example/", 400),
                // What looks like another address behind the first slash is a path of this server's, and so is one that a client of a proxy writes.
                ("GET //127.0.0.1:\(stranger.port)/", 404), ("GET http://127.0.0.1:\(stranger.port)/page", 200), ("GET /[", 404),
            ]
            for (line, status) in lines {
                let caller = try await Crowd(1, port: port, sending: Array("\(line) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".utf8))
                #expect(await caller.firstStatus() == status, "\(line)")
                await caller.disperse()
            }
            #expect(stranger.requests.isEmpty)
            #expect(ears.heard.withLock(\.count) == 3)
            #expect(try await client.execute(HTTPClientRequest(url: origin + "/page"), deadline: .distantFuture).status == .ok)
        }
    }

    @Test(
        "Whatever the target is, the address that a relay makes of it is its own server's",
        arguments: ["443", "@a:1", "*", "", "/", "//a:1/", "/@a"])
    func upstreamAddress(_ target: String) async throws {
        let client = Relay.makeClient()
        let relay = Relay(to: 4_711, client: client, tap: Ears())
        let address = relay.upstreamAddress(of: target)
        #expect((address == nil) == !target.hasPrefix("/"))
        if let address {
            let url = URL(string: address)
            #expect(url?.host == "127.0.0.1" && url?.port == 4_711 && url?.user == nil)
        }
        try await client.shutdown()
    }

    @Test("The code that a page draws is read off its events, however these are cut; without a code there is none")
    func shownCode() throws {
        let bytes = Array("what a page shows in its code".utf8)
        let code = #"{"bytes":"\#(Base64URL.encode(bytes))"}"#
        let shown = ShownCode()
        #expect(shown.symbol() == nil)
        let hear = shown.reader(isStream: true)
        let event = Array("retry: 2000\n\nevent: page\ndata: {\"kind\":\"login\",\"state\":\"waiting\",\"code\":\(code)}\n\n".utf8)
        for part in [event[..<40], event[40..<41], event[41...]] { hear(Array(part)) }
        #expect(shown.symbol() == bytes)
        hear(Array("event: page\ndata: {\"kind\":\"login\",\"state\":\"scanned\"}\n\n".utf8))
        #expect(shown.symbol() == nil)
        hear(Array("event: code\ndata: \(code)\n\n".utf8))
        #expect(shown.symbol() == bytes)
        // A page that is left shows nothing; one that took its place meanwhile stays.
        hear([])
        #expect(shown.symbol() == nil)
        let (former, later) = (shown.reader(isStream: true), shown.reader(isStream: true))
        former(Array("event: code\ndata: \(code)\n\n".utf8))
        later(Array("event: code\ndata: \(code)\n\n".utf8))
        former([])
        #expect(shown.symbol() == bytes)
        // Nor does the former stream take over by its last words, whatever they are.
        let last = shown.reader(isStream: true)
        last(Array("event: code\ndata: \(code)\n\n".utf8))
        later(Array("event: page\ndata: {\"kind\":\"login\",\"state\":\"expired\"}\n\nevent: code\ndata: {\"bytes\":\"AAAA\"}\n\n".utf8))
        later([])
        #expect(shown.symbol() == bytes)
        // A snapshot that was asked for has no line end, and its page stays.
        let asked = shown.reader(isStream: false)
        asked(Array("{\"kind\":\"login\",\"code\":\(code)}".utf8))
        asked([])
        #expect(shown.symbol() == bytes)
        shown.reader(isStream: false)(Array(#"{"kind":"login","state":"denied"}"#.utf8))
        #expect(shown.symbol() == nil)
    }

    @Test("Of a code that moves there is the frame of this second, and the last one where the page was told no more")
    func movingCode() throws {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let shown = ShownCode { start + passed.withLock(\.self) }
        let (session, secret) = (SessionID(using: SystemRandomSource()), [UInt8](repeating: 7, count: 32))
        let frames = (254...259).map { number in
            LoginLink(
                serverTag: [1, 2, 3, 4], sessionID: session, issuedAt: 1_800_000_000, frame: UInt16(number), binding: .qrDynamic, qrSecret: secret)
        }
        let next = Base64URL.encode(frames.dropFirst().flatMap(\.mac))
        shown.reader(isStream: true)(Array(#"data: {"bytes":"\#(Base64URL.encode(frames[0].encoded))","next":"\#(next)"}"#.utf8) + [10])
        for (milliseconds, frame) in [(0, 0), (999, 0), (1_000, 1), (2_500, 2), (5_000, 5), (9_000, 5)] {
            passed.withLock { $0 = .milliseconds(milliseconds) }
            #expect(shown.symbol() == frames[frame].encoded)
        }
    }

    @Test("Only a real browser's page is looked at")
    func browsersOnly() throws {
        let tap = PhoneTap(witness: Witness(), open: { _ in nil }, shown: ShownCode())
        let browsers: HTTPFields = [HTTPField.Name("Sec-Fetch-Site")!: "same-origin"]
        #expect(tap.watched("/pages/events", browsers) != nil && tap.watched("/pages/state", browsers) != nil)
        #expect(tap.watched("/pages/events", [:]) == nil && tap.watched("/pages/style.css", browsers) == nil)
    }
}
