import HTTPService
import Hummingbird
import Logging
import NIOCore
import OstiaryTesting
import ServiceLifecycle
import Testing

@Suite("Server runner", .timeLimit(.minutes(10)))
struct ServerRunnerTests {
    private func router(limits: ServiceLimits = .standard) -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware(limits: limits)
        router.get("/who") { _, context in context.remoteAddress ?? "nobody" }
        router.post("/echo") { request, _ in ByteBuffer(bytes: try await request.bytes(limit: limits.body)) }
        return router
    }

    @Test("The port that was chosen is told, and requests are answered on it")
    func answers() async throws {
        try await RunningServer.with(router()) { server in
            let answer = try await RawConnection.exchange(
                port: server.port, [Array("GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)])
            #expect(answer?.hasPrefix("HTTP/1.1 200 ") == true)
            #expect(answer?.hasSuffix("127.0.0.1") == true)
        }
    }

    @Test("A port that is taken is one clear line")
    func portInUse() async throws {
        try await RunningServer.with(router()) { server in
            let address = ListenAddress(host: "127.0.0.1", port: server.port)
            let second = ServerRunner(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drain: DrainSignal())
            let error = await #expect(throws: ServerStartError.portInUse(name: "private", address: address)) {
                try await second.run([Listener("private", at: address, router: router())], stopsOnSignals: false)
            }
            #expect(error?.description.contains("\n") == false)
        }
    }

    @Test("Two listeners of one server on one port are told as that, and not as another process")
    func onePort() async throws {
        let runner = ServerRunner(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drain: DrainSignal())
        for host in ["127.0.0.1", "0.0.0.0"] {
            let (first, second) = (ListenAddress(host: host, port: 8080), ListenAddress(host: "127.0.0.1", port: 8080))
            let error = await #expect(throws: ServerStartError.onePort("public", "private", address: second)) {
                try await runner.run(
                    [Listener("public", at: first, router: router()), Listener("private", at: second, router: router())], stopsOnSignals: false)
            }
            #expect(error?.description.contains("another process") == false && error?.description.contains("\n") == false)
        }
    }

    @Test("A service is called by its type: nobody makes a text of all that it holds")
    func names() async throws {
        let runner = ServerRunner(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drain: DrainSignal())
        // It ends at once, and with it the group, which says so.
        await #expect(throws: (any Error).self) { try await runner.run([], services: [SilentService()], stopsOnSignals: false) }
    }

    @Test("A host that does not exist is one clear line")
    func unknownHost() async throws {
        let address = ListenAddress(host: "no-such-host.invalid", port: 0)
        let runner = ServerRunner(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, drain: DrainSignal())
        let error = await #expect(throws: ServerStartError.self) {
            try await runner.run([Listener("public", at: address, router: router())], stopsOnSignals: false)
        }
        guard case .cannotListen("public", address, _) = error else { throw try #require(error) }
    }

    @Test("At shutdown an open poll answers at once and nothing is lost")
    func drains() async throws {
        let drain = DrainSignal()
        let router = router()
        let (polling, entered) = AsyncStream.makeStream(of: Void.self)
        router.get("/poll") { _, _ in
            entered.finish()
            return try await drain.value { try await Task.sleep(for: .seconds(3600)) } == nil ? "nothing yet" : "event"
        }
        // The time to drain is that of a machine that is busy: what ends the poll is the drain, and not its end.
        try await RunningServer.with(router, drain: drain, drainTime: .seconds(300)) { server in
            async let answer = RawConnection.exchange(
                port: server.port, [Array("GET /poll HTTP/1.1\r\nHost: x\r\n\r\n".utf8)])
            for await _ in polling {}
            await server.stop()
            let text = try await answer
            #expect(text?.hasSuffix("nothing yet") == true)
            // Or a client would send its next request on a connection that ends.
            #expect(text?.lowercased().contains("\r\nconnection: close\r\n") == true)
        }
    }

    @Test("A request that ignores the drain is cut off when the drain time is over")
    func cutsOff() async throws {
        let router = router()
        let (polling, entered) = AsyncStream.makeStream(of: Void.self)
        router.get("/stubborn") { _, _ -> String in
            entered.finish()
            try await Task.sleep(for: .seconds(3600))
            return "late"
        }
        try await RunningServer.with(router, drainTime: .milliseconds(100)) { server in
            async let answer = RawConnection.exchange(
                port: server.port, [Array("GET /stubborn HTTP/1.1\r\nHost: x\r\n\r\n".utf8)])
            for await _ in polling {}
            await server.stop()
            let text = try await answer
            #expect(text?.contains("late") == false)
        }
    }

    @Test("A82 a server that ends just as browsers connect ends each connection with it, and the process goes on", arguments: [true, false])
    func endsAmongBrowsers(isCancelled: Bool) async throws {
        var random = SplitMix(seed: 2637)
        for _ in 0..<40 {
            let (running, report) = AsyncStream.makeStream(of: Int.self)
            let mayEnd = DrainSignal()
            let serving = Task { [router = router()] in
                try await RunningServer.with(router, limits: ServiceLimits(parting: .milliseconds(5))) { server in
                    report.yield(server.port)
                    await mayEnd.wait()
                }
            }
            var ports = running.makeAsyncIterator()
            let port = try #require(await ports.next())
            let first = Int.random(in: 0..<16, using: &random)
            let connected = await connect(16, to: port, after: first) { if isCancelled { serving.cancel() } else { mayEnd.begin() } }
            _ = await serving.result
            for connection in connected { _ = try await connection.end() }
        }
    }

    /// Browsers that connect all at once; `hear` is called when so many have.
    /// - Returns: those that found the server there.
    private func connect(_ count: Int, to port: Int, after first: Int, _ hear: () -> Void) async -> [HeldConnection] {
        await withTaskGroup(of: HeldConnection?.self) { browsers in
            // From another address: whoever calls a port at which nobody listens any more may get that one as its own, and is connected with itself. Each
            // says something: the system leaves one that comes in the moment in which a port is closed in the belief that it was taken.
            let half = Array("GET /who HT".utf8)
            for _ in 0..<count { browsers.addTask { try? await HeldConnection(port: port, from: "127.0.0.2", sending: half) } }
            var connected: [HeldConnection] = []
            for number in 0..<count {
                if number == first { hear() }
                if let connection = await browsers.next() ?? nil { connected.append(connection) }
            }
            return connected
        }
    }

    @Test("A body that trickles in is cut off, and so is one that goes on after it was refused")
    func slowBody() async throws {
        let limits = ServiceLimits(body: 100, idle: .hours(1), arrival: .seconds(1))
        try await RunningServer.with(router(limits: limits), limits: limits) { server in
            func trickled(_ length: Int) async throws -> String {
                let head = Array("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n".utf8)
                let connection = try await HeldConnection(port: server.port, sending: head)
                // Until it is cut off; only the time limit of the suite says when that is too late.
                while connection.isOpen {
                    try? await connection.send([65])
                    try await Task.sleep(for: .milliseconds(200))
                }
                return connection.answer
            }
            let slow = try await trickled(90)
            #expect(!slow.contains(" 200 "))
            var refused = ""
            // On a machine that is busy for that long it may be cut off before it is answered.
            for _ in 0..<9 where refused.isEmpty { refused = try await trickled(1_000_000_000) }
            // Nobody reads on: so nobody is to send more, and the answer is there to be read.
            #expect(refused.hasPrefix("HTTP/1.1 413 ") && refused.lowercased().contains("connection: close"))
        }
    }

    /// What a request is answered. On a machine that is busy for as long as a connection may be idle it may be closed before that, and is asked again.
    private func answered(_ request: String, by server: RunningServer) async throws -> String {
        var answer = ""
        for _ in 0..<9 where answer.isEmpty { answer = try await RawConnection.exchange(port: server.port, [Array(request.utf8)]) ?? "" }
        return answer
    }

    @Test("A head that does not end, and silence after an answer, are cut off")
    func silence() async throws {
        let limits = ServiceLimits(idle: .seconds(3), arrival: .hours(1))
        try await RunningServer.with(router(limits: limits), limits: limits) { server in
            let headOnly = try await RawConnection.exchange(port: server.port, [Array("POST /echo HT".utf8)])
            #expect(headOnly?.contains(" 200 ") == false)
            let who = try await answered("GET /who HTTP/1.1\r\nHost: x\r\n\r\n", by: server)
            #expect(who.hasPrefix("HTTP/1.1 200 ") && !who.lowercased().contains("\r\nconnection: close\r\n"))
        }
    }

    @Test("Random bytes, broken requests and bodies without end are never answered with 5xx, and the server goes on")
    func garbage() async throws {
        let limits = ServiceLimits(body: 1000, idle: .seconds(5), arrival: .seconds(5))
        var random = SplitMix(seed: 7)
        var inputs = (0..<40).map { _ in (0..<Int.random(in: 1...600, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) } }
        inputs += (0..<40).map { _ in
            var request = Array(
                "POST /echo?a=%ff&b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nCookie: a=b\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8)
            for _ in 0..<3 { request[Int.random(in: request.indices, using: &random)] = UInt8.random(in: 0...255, using: &random) }
            return request
        }
        let fixed = [
            "GET /%00%ff%C3%28 HTTP/1.1\r\nHost: x\r\n\r\n", "GET //..//..%2f..%2fetc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://[::1 HTTP/1.1\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nxx",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n",
            "GET /who HTTP/1.1\r\n\r\n", "GET /who HTTP/1.1\r\nHost: x\r\n" + String(repeating: "a: b\r\n", count: 5000),
            "GET /who HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "b", count: 200_000) + "\r\n\r\n",
            "GET /" + String(repeating: "c", count: 20000) + " HTTP/1.1\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: "400\r\n" + String(repeating: "d", count: 1024) + "\r\n", count: 50),
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
        ]
        inputs += fixed.map { Array($0.utf8) }
        let all = inputs
        try await RunningServer.with(router(limits: limits), limits: limits) { server in
            try await withThrowingTaskGroup { group in
                for input in all {
                    group.addTask {
                        let answer = try await RawConnection.exchange(port: server.port, [input], endsOutput: true)
                        // But that a coding is not known (RFC 9112 §6.1).
                        let isFault = answer?.replacing("HTTP/1.1 501", with: "").contains("HTTP/1.1 5")
                        #expect(isFault == false, "\(String(decoding: input.prefix(200), as: UTF8.self))")
                    }
                }
                try await group.waitForAll()
            }
            let after = try await answered("GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", by: server)
            #expect(after.hasPrefix("HTTP/1.1 200 "))
        }
    }
}

/// One that must not be asked what it is.
private struct SilentService: Service, CustomStringConvertible {
    var description: String {
        Issue.record("a service was put into words")
        return ""
    }

    func run() async throws {}
}
