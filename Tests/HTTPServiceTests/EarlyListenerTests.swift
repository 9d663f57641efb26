import Hummingbird
import NIOCore
import OstiaryTesting
import Synchronization
import Testing

@testable import HTTPService

/// One router on two listeners, of which one answers some of its requests early: whoever asks must not be able to tell which it was.
@Suite("A listener that answers early beside one that does not", .timeLimit(.minutes(10)))
struct EarlyListenerTests {
    private struct Case: Sendable {
        let name: String
        let text: String
        /// How much of it is answered early; nil where it is the parser's whether it is a request at all.
        let early: Int?

        init(_ name: String, _ text: String..., early: Int? = 0) {
            self.name = name
            self.text = text.joined()
            self.early = early
        }
    }

    /// The same address asked for in other ways.
    private static let addresses: [Case] = [
        Case("with a query", EarlyDoor.line("GET /door?a=b HTTP/1.1")), Case("with an empty query", EarlyDoor.line("GET /door? HTTP/1.1")),
        Case("with escapes", EarlyDoor.line("GET /d%6For HTTP/1.1")), Case("with slashes", EarlyDoor.line("GET //door/ HTTP/1.1")),
        Case("in absolute form", EarlyDoor.line("GET http://x/door HTTP/1.1")), Case("as HEAD", EarlyDoor.line("HEAD /door HTTP/1.1")),
        Case("as OPTIONS", EarlyDoor.line("OPTIONS /door HTTP/1.1")),
        Case("as POST", EarlyDoor.line("POST /door HTTP/1.1", "Content-Length: 2"), "{}"),
        Case("as BREW", EarlyDoor.line("BREW /door HTTP/1.1")), Case("in lower case", EarlyDoor.line("get /door HTTP/1.1")),
        Case("of HTTP/2.0", EarlyDoor.line("GET /door HTTP/2.0")), Case("of HTTP/1.0", "GET /door HTTP/1.0\r\nX-Key: right\r\n\r\n"),
        Case("of HTTP/1.0 that stays", "GET /door HTTP/1.0\r\nX-Key: right\r\nConnection: keep-alive\r\n\r\n"),
    ]

    /// With other fields.
    private static let fields: [Case] = [
        Case("with what every client says", EarlyDoor.line(EarlyDoor.get, "Connection: Keep-Alive", "Accept: */*", "User-Agent: test"), early: 1),
        Case("without the key", "GET /door HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case("with another key", "GET /door HTTP/1.1\r\nHost: x\r\nX-Key: left\r\n\r\n"),
        Case("with two keys", EarlyDoor.line(EarlyDoor.get, "X-Key: right")),
        Case("without Host", "GET /door HTTP/1.1\r\nX-Key: right\r\n\r\n"), Case("with two Hosts", EarlyDoor.line(EarlyDoor.get, "Host: y")),
        Case("with an expectation", EarlyDoor.line(EarlyDoor.get, "Expect: 100-continue")),
        Case("with one that nobody meets", EarlyDoor.line(EarlyDoor.get, "Expect: tea")),
        Case("as the last", EarlyDoor.line(EarlyDoor.get, "Connection: close")),
        Case("for another protocol", EarlyDoor.line(EarlyDoor.get, "Upgrade: h2c")),
    ]

    /// With a body, or something that says so.
    private static let bodies: [Case] = [
        Case("with a body", EarlyDoor.line(EarlyDoor.get, "Content-Length: 2"), "{}"),
        Case("with a body that is refused", EarlyDoor.line(EarlyDoor.get, "Content-Length: 7"), #"{"a":1}"#),
        Case("with no bytes of a body", EarlyDoor.line(EarlyDoor.get, "Content-Length: 0")),
        Case("with two lengths", EarlyDoor.line(EarlyDoor.get, "Content-Length: 0", "Content-Length: 2")),
        Case("with chunks", EarlyDoor.line(EarlyDoor.get, "Transfer-Encoding: chunked"), "2\r\n{}\r\n0\r\n\r\n"),
        Case("with chunks and a trailer", EarlyDoor.line(EarlyDoor.get, "Transfer-Encoding: chunked", "Trailer: X-Key"), "0\r\nX-Key: left\r\n\r\n"),
        Case("with another coding", EarlyDoor.line(EarlyDoor.get, "Transfer-Encoding: gzip, chunked")),
        Case("with chunks and a length", EarlyDoor.line(EarlyDoor.get, "Transfer-Encoding: chunked", "Content-Length: 2"), "0\r\n\r\n"),
    ]

    /// What is hardly a request.
    private static let rubbish: [Case] = [
        Case("with a name that has a space", EarlyDoor.line(EarlyDoor.get, "X Key: right")),
        Case("with a folded field", EarlyDoor.line(EarlyDoor.get, "A: b\r\n c"), early: nil),
        Case("with a byte that is none", EarlyDoor.line(EarlyDoor.get, "A: \u{0}")),
        Case("with a long field", EarlyDoor.line(EarlyDoor.get, "A: \(String(repeating: "a", count: 17_000))")),
        Case("with many fields", EarlyDoor.line(EarlyDoor.get, "\(String(repeating: "A: b\r\n", count: 120))A: b")),
        Case("with bare line ends", EarlyDoor.door.replacing("\r\n", with: "\n"), early: nil), Case("as rubbish", "\u{1}\u{2}\u{3}\r\n\r\n"),
        Case("as nothing", ""), Case("as half a head", "GET /door HTTP/1.1\r\nHost: x\r\nX-Ke"),
    ]

    /// Several that come in one piece.
    private static let rows: [Case] = [
        Case("it alone", EarlyDoor.door, early: 1), Case("two", EarlyDoor.door, EarlyDoor.door, early: 2),
        Case("one before another", EarlyDoor.door, EarlyDoor.other, early: 1),
        Case("one behind another", EarlyDoor.other, EarlyDoor.door),
        Case("one on each side of another", EarlyDoor.door, EarlyDoor.other, EarlyDoor.door, early: 1),
        Case("one before a body", EarlyDoor.door, EarlyDoor.line(EarlyDoor.get, "Content-Length: 2"), "{}", EarlyDoor.door, early: 1),
        Case("one before what is refused", EarlyDoor.door, EarlyDoor.line("GET /nowhere HTTP/1.1"), EarlyDoor.door, early: 1),
        Case("many", String(repeating: EarlyDoor.door, count: 16), early: 16),
    ]

    /// Several of which one ends the connection.
    private static let ends: [Case] = [
        Case("rubbish", EarlyDoor.door, "\u{1}\u{2}\r\n\r\n", early: 1), Case("BREW", EarlyDoor.door, EarlyDoor.line("BREW / HTTP/1.1"), early: 1),
        Case("half a head", EarlyDoor.door, "GET /do", early: 1),
        Case("the last", EarlyDoor.door, EarlyDoor.line(EarlyDoor.get, "Connection: close"), EarlyDoor.door, early: 1),
    ]

    private struct BothWays: Sendable {
        let early: RunningServer
        let routes: RunningServer
        let given: EarlyDoor.Given

        /// What both say to the same pieces, without what differs from one request to the next, and how much was early.
        func answers(_ pieces: [String], pause: Duration = .zero) async throws -> (early: String?, routes: String?, given: Int) {
            let before = given.count
            let bytes = pieces.map { Array($0.utf8) }
            let first = try await RawConnection.exchange(port: early.port, bytes, pause: pause, endsOutput: true)
            let count = given.count - before
            let second = try await RawConnection.exchange(port: routes.port, bytes, pause: pause, endsOutput: true)
            return (first.map(Self.withoutNames), second.map(Self.withoutNames), count)
        }

        func expectSame(_ asked: Case) async throws {
            let answers = try await answers([asked.text])
            #expect(answers.early == answers.routes, "\(asked.name)")
            if let early = asked.early { #expect(answers.given == early, "\(asked.name)") }
            if answers.given > 0 { #expect(answers.early?.hasPrefix("HTTP/1.1 200 OK\r\n") == true, "\(asked.name)") }
        }

        private static func withoutNames(_ answer: String) -> String {
            answer.replacing(/X-Request-Id: [0-9a-f]{32}/, with: "X-Request-Id: …")
                .replacing(/"requestId":"[0-9a-f]{32}"/, with: "\"requestId\":\"…\"")
                .replacing(/Date: [A-Za-z0-9,: ]+ GMT/, with: "Date: …")
        }
    }

    private func withBoth(_ body: @Sendable @escaping (BothWays) async throws -> Void) async throws {
        let given = EarlyDoor.Given()
        try await RunningServer.with(EarlyDoor.router(), early: given.early) { early in
            try await RunningServer.with(EarlyDoor.router()) { routes in try await body(BothWays(early: early, routes: routes, given: given)) }
        }
    }

    @Test("Each request has the same answer to the byte, but for its name and the time, and what is right is answered early")
    func requests() async throws {
        try await withBoth { both in
            for asked in Self.addresses + Self.fields + Self.bodies + Self.rubbish { try await both.expectSame(asked) }
        }
    }

    @Test("Several in one piece have the same answers in the same order, early as long as nobody waits for one")
    func rows() async throws {
        try await withBoth { both in
            for asked in Self.rows + Self.ends { try await both.expectSame(asked) }
        }
    }

    @Test("It does not matter in which pieces they come")
    func pieces() async throws {
        try await withBoth { both in
            for asked in Self.rows + Self.fields.prefix(3) {
                let bytes = asked.text.unicodeScalars.map { String($0) }
                let single = try await both.answers(bytes)
                #expect(single.early == single.routes, "\(asked.name), by bytes")
                for cut in [1, bytes.count / 3, bytes.count / 2, bytes.count - 3] {
                    let two = try await both.answers([bytes[..<cut].joined(), bytes[cut...].joined()], pause: .milliseconds(5))
                    #expect(two.early == two.routes && two.early == single.early, "\(asked.name), cut at \(cut)")
                }
            }
        }
    }

}
