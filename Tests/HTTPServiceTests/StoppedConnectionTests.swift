import Hummingbird
import NIOCore
import OstiaryTesting
import Synchronization
import Testing

@testable import HTTPService

/// What clients see of a stop. Nobody waits for a limit here but for the one of which the test is, and the stop has an hour.
@Suite("Connections of a server that stops", .timeLimit(.minutes(10)))
struct StoppedConnectionTests {
    /// - Parameter parting: what a connection is left on which nothing is under way.
    private static func with(
        _ router: Router<ServiceRequestContext>, parting: TimeAmount = .milliseconds(50), drainTime: Duration = .seconds(3600),
        early: EarlyAnswer? = nil, _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        let limits = ServiceLimits(idle: .hours(1), arrival: .hours(1), lingering: .hours(1), lingeringInAll: .hours(1), parting: parting)
        try await RunningServer.with(router, limits: limits, drainTime: drainTime, early: early, body: body)
    }

    /// Stops the server, and waits until that has come to connections: one that asks nothing ends.
    private static func stop(_ server: RunningServer) async throws {
        let silent = try await HeldConnection(port: server.port, sending: Array(EarlyDoor.other.utf8))
        #expect(await silent.firstAnswer() != nil)
        await server.stop()
        _ = try await silent.end()
    }

    @Test("Who has asked for much that is answered early, and takes it late, has all of it, and the last answer says that it is that")
    func manyEarly() async throws {
        let (count, asked) = (40, AwaitedValue(false))
        // All together are more than lies between the two ends.
        let large = [UInt8](repeating: 55, count: 400_000)
        let early: EarlyAnswer = { request in
            guard request.address == "/door" else { return nil }
            asked.change { $0 = true }
            return large
        }
        try await Self.with(EarlyDoor.router(), early: early) { server in
            // They come in one piece.
            let many = Array(String(repeating: EarlyDoor.door, count: count).utf8)
            let late = try await HeldConnection(port: server.port, reads: false, sending: many)
            await asked.wait { $0 }
            try await Self.stop(server)
            try await late.read()
            let answers = Answers(try await late.end())
            #expect(answers.areLast == Array(repeating: false, count: count - 1) + [true] && answers.rest == 0)
        }
    }

    /// With an answer that is more than lies between the two ends.
    private static func router(_ asked: AwaitedValue<Int>) -> Router<ServiceRequestContext> {
        let router = EarlyDoor.router()
        router.get("/large") { _, _ -> Response in
            asked.change { $0 += 1 }
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 65, count: 16 << 20)))
        }
        return router
    }

    @Test("An answer that is not taken yet is whole for whoever takes it late")
    func large() async throws {
        let asked = AwaitedValue(0)
        try await Self.with(Self.router(asked)) { server in
            let late = try await HeldConnection(port: server.port, reads: false, sending: Array(EarlyDoor.line("GET /large HTTP/1.1").utf8))
            await asked.wait { $0 == 1 }
            try await Self.stop(server)
            try await late.read()
            let answers = Answers(try await late.end())
            #expect(answers.areLast.count == 1 && answers.rest == 0)
        }
    }

    @Test("Who takes nothing of an answer, also of the last that it asked for, is left when the time of the stop is over")
    func deaf() async throws {
        let asked = AwaitedValue(0)
        let held = Mutex<[HeldConnection]>([])
        let asks = [EarlyDoor.line("GET /large HTTP/1.1"), EarlyDoor.line("GET /large HTTP/1.1", "Connection: close")]
        try await Self.with(Self.router(asked), drainTime: .milliseconds(100)) { server in
            for ask in asks {
                let connection = try await HeldConnection(port: server.port, reads: false, sending: Array(ask.utf8))
                held.withLock { $0.append(connection) }
            }
            await asked.wait { $0 == asks.count }
        }
        for connection in held.withLock({ $0 }) { await connection.close() }
    }

    @Test("Requests that wait for their answers have them, and the last says that it is that", arguments: [true, false])
    func waiting(isEarly: Bool) async throws {
        let (router, given, asked, open) = (EarlyDoor.router(), EarlyDoor.Given(), AwaitedValue(false), AwaitedValue(false))
        router.get("/wait") { _, _ -> Response in
            asked.change { $0 = true }
            await open.wait { $0 }
            return .text("waited")
        }
        try await Self.with(router, early: isEarly ? given.early : nil) { server in
            let requests = [EarlyDoor.door, EarlyDoor.line("GET /wait HTTP/1.1"), EarlyDoor.other, EarlyDoor.door]
            let busy = try await HeldConnection(port: server.port, sending: Array(requests.joined().utf8))
            await asked.wait { $0 }
            try await Self.stop(server)
            open.change { $0 = true }
            let answers = Answers(try await busy.end())
            #expect(answers.areLast == [false, false, false, true] && answers.rest == 0)
        }
    }

    @Test("What is asked behind an answer that says that it is the last is answered by nothing, and takes nothing of that answer")
    func behind() async throws {
        let router = EarlyDoor.router()
        let (asked, stopped, begun, open) = (AwaitedValue(false), AwaitedValue(false), AwaitedValue(false), AwaitedValue(false))
        router.get("/slow") { _, _ -> Response in
            asked.change { $0 = true }
            await stopped.wait { $0 }
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "begun"))
                begun.change { $0 = true }
                await open.wait { $0 }
                try await writer.write(ByteBuffer(string: "done"))
                try await writer.finish(nil)
            }
            return Response(status: .ok, body: body)
        }
        try await Self.with(router) { server in
            let busy = try await HeldConnection(port: server.port, sending: Array(EarlyDoor.line("GET /slow HTTP/1.1").utf8))
            await asked.wait { $0 }
            try await Self.stop(server)
            stopped.change { $0 = true }
            await begun.wait { $0 }
            try await busy.send(Array(EarlyDoor.other.utf8))
            open.change { $0 = true }
            let answer = try await busy.end()
            #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("done\r\n0\r\n\r\n"), "\(answer)")
            #expect(answer.split(separator: "HTTP/1.1 ").count == 1, "\(answer)")
        }
    }

    @Test(
        "Clients that ask on and on, one request or three at a time, have whole answers, are told with the last one, and then hear nothing but the end",
        arguments: [true, false])
    func askingOn(isEarly: Bool) async throws {
        let (given, answered) = (EarlyDoor.Given(), AwaitedValue(0))
        try await Self.with(EarlyDoor.router(), parting: .hours(1), early: isEarly ? given.early : nil) { server in
            let port = server.port
            try await withThrowingTaskGroup(of: Bool.self) { clients in
                for number in 0..<8 {
                    clients.addTask {
                        try await onOwnThread {
                            try Self.askOn(port, atOnce: number % 2 == 0 ? 1 : 3) { answered.change { $0 += 1 } }
                        }
                    }
                }
                await answered.wait { $0 >= 64 }
                await server.stop()
                for try await isRight in clients { #expect(isRight) }
            }
        }
    }

    /// Asks again when everything was answered.
    /// - Returns: whether each answer was whole until one was the last, and then the connection ended in order.
    private static func askOn(_ port: Int, atOnce: Int, _ hear: () -> Void) throws -> Bool {
        let client = try RawClient(port: port)
        while true {
            // All but the last are answered behind one another.
            for number in 0..<atOnce {
                let answer = client.ask(number == 0 ? String(repeating: EarlyDoor.door, count: atOnce) : "")
                let answers = Answers(answer)
                guard answers.areLast.count == 1, answers.rest == 0, answer.hasPrefix("HTTP/1.1 200 ") else { return false }
                hear()
                if answers.areLast == [true] { return client.endsInOrder() }
            }
        }
    }

    @Test("Whoever asks nothing, or half, or does not close behind the last answer, does not hold up the stop", arguments: [true, false])
    func silent(isEarly: Bool) async throws {
        let given = EarlyDoor.Given()
        let held = Mutex<[HeldConnection]>([])
        let half = String(EarlyDoor.door.dropLast(2))
        let last = EarlyDoor.line("GET /other HTTP/1.1", "Connection: close")
        try await Self.with(EarlyDoor.router(), early: isEarly ? given.early : nil) { server in
            for ask in ["", EarlyDoor.door, EarlyDoor.other, EarlyDoor.door + half, last] {
                let connection = try await HeldConnection(port: server.port, closes: false, sending: Array(ask.utf8))
                if !ask.isEmpty { #expect(await connection.firstAnswer() != nil) }
                held.withLock { $0.append(connection) }
            }
        }
        for connection in held.withLock({ $0 }) { await connection.close() }
    }
}

/// What came, cut into answers that say how long they are.
private struct Answers {
    /// Of each that is whole, whether it says that it is the last.
    private(set) var areLast: [Bool] = []
    /// Bytes behind them: of one that was torn.
    let rest: Int

    init(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while let (head, length) = Self.head(of: bytes), bytes.count >= length {
            areLast.append(head.contains("\r\nConnection: close\r\n"))
            bytes = bytes.dropFirst(length)
        }
        rest = bytes.count
    }

    /// The first head, and the length of the answer in all.
    private static func head(of bytes: ArraySlice<UInt8>) -> (String, Int)? {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: [13, 10, 13, 10]) }) else { return nil }
        let head = String(decoding: bytes[..<(end + 4)], as: UTF8.self)
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) }
        return (head, head.utf8.count + (length ?? 0))
    }
}
