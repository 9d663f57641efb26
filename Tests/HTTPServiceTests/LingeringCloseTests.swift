import Hummingbird
import NIOCore
import Testing

@testable import HTTPService

/// Clients that were given the last answer of their connection and do not close it. Nobody waits for the limit of silence here.
@Suite("Connections behind their last answer", .timeLimit(.minutes(10)))
struct LingeringCloseTests {
    /// Each is the last of its connection, in a way of its own.
    private static let last = [
        EarlyDoor.line("GET /other HTTP/1.1", "Connection: close"), EarlyDoor.line(EarlyDoor.get, "Connection: close"),
        "GET /door HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /other HTTP/1.0\r\n\r\n", EarlyDoor.line("CONNECT x:1 HTTP/1.1"),
        EarlyDoor.line("BREW /other HTTP/1.1"), "GET /other HTTP/1.1\r\n\r\n", "\u{1}\u{2}\u{3}\r\n\r\n",
        EarlyDoor.line("POST /other HTTP/1.1", "Expect: 100-continue", "Content-Length: 5"),
    ]

    private static func limits(lingering: TimeAmount, inAll: TimeAmount, total: Int) -> ServiceLimits {
        ServiceLimits(idle: .hours(1), arrival: .hours(1), lingering: lingering, lingeringInAll: inAll, connections: ConnectionLimits(total: total))
    }

    /// With an early answer and without.
    private static func withBoth(_ limits: ServiceLimits, _ body: @Sendable @escaping (RunningServer) async throws -> Void) async throws {
        try await RunningServer.with(EarlyDoor.router(), limits: limits, body: body)
        try await RunningServer.with(EarlyDoor.router(), limits: limits, early: EarlyDoor.Given().early, body: body)
    }

    @Test("Whoever is silent behind the last answer and does not close keeps no place: the next is let in")
    func silent() async throws {
        try await Self.withBoth(Self.limits(lingering: .milliseconds(50), inAll: .hours(1), total: 2)) { server in
            var held: [HeldConnection] = []
            // Each but the first two is let in when one before it has gone.
            for ask in Self.last + [EarlyDoor.door] {
                let connection = try await HeldConnection(port: server.port, closes: false, sending: Array(ask.utf8))
                #expect(await connection.firstAnswer()?.hasPrefix("HTTP/1.1 ") == true, "\(ask)")
                held.append(connection)
            }
            for connection in held { await connection.close() }
        }
    }

    @Test("Whoever sends on and on behind the last answer is left in the end, too")
    func talking() async throws {
        try await Self.withBoth(Self.limits(lingering: .hours(1), inAll: .milliseconds(200), total: 100)) { server in
            for ask in Self.last {
                let connection = try await HeldConnection(port: server.port, closes: false, sending: Array(ask.utf8))
                #expect(await connection.firstAnswer()?.hasPrefix("HTTP/1.1 ") == true, "\(ask)")
                while connection.isOpen, (try? await connection.send(Array(EarlyDoor.door.utf8))) != nil {}
                await connection.close()
            }
        }
    }

    @Test("A body that nobody wants is taken and thrown away behind the answer: what was said of it is not lost to a reset")
    func unwanted() async throws {
        let (router, open) = (EarlyDoor.router(), AwaitedValue(false))
        router.post("/wait") { _, _ -> Response in
            await open.wait { $0 }
            throw ErrorResponse.unauthorized
        }
        try await RunningServer.with(router, limits: Self.limits(lingering: .hours(1), inAll: .hours(1), total: 100)) { server in
            let piece = [UInt8](repeating: 7, count: 1 << 20)
            let head = EarlyDoor.line("POST /wait HTTP/1.1", "Connection: close", "Transfer-Encoding: chunked") + "1000000\r\n"
            let connection = try await HeldConnection(port: server.port, closes: false, sending: Array(head.utf8))
            // More than a request holds that nobody reads: the server asks for no more of it.
            try await connection.send(piece)
            open.change { $0 = true }
            // More than lies between the two ends: somebody reads it.
            for _ in 0..<15 { try await connection.send(piece) }
            try await until("the answer is whole") { connection.answer.hasSuffix("}") }
            #expect(connection.answer.hasPrefix("HTTP/1.1 401 "), "\(connection.answer)")
            await connection.close()
        }
    }

    @Test("Whoever takes its last answer slowly has it whole, however long others that are done may linger")
    func slow() async throws {
        let (router, asked, size) = (EarlyDoor.router(), AwaitedValue(false), 16 << 20)
        router.get("/large") { _, _ -> Response in
            asked.change { $0 = true }
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: size)))
        }
        let limits = Self.limits(lingering: .milliseconds(50), inAll: .milliseconds(100), total: 2)
        try await RunningServer.with(router, limits: limits) { server in
            let ask = Array(EarlyDoor.line("GET /large HTTP/1.1", "Connection: close").utf8)
            let slow = try await HeldConnection(port: server.port, reads: false, sending: ask)
            await asked.wait { $0 }
            // One after the other in the second place: several times as long as a connection lingers.
            var others: [HeldConnection] = []
            for _ in 0..<5 {
                let other = try await HeldConnection(port: server.port, closes: false, sending: Array(Self.last[0].utf8))
                #expect(await other.firstAnswer() != nil)
                others.append(other)
            }
            try await slow.read()
            let answer = try await slow.end()
            for other in others { await other.close() }
            #expect(answer.utf8.count > size && answer.hasSuffix("AAA"))
        }
    }
}
