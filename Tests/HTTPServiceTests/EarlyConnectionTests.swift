import Hummingbird
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("Connections on which requests are answered early", .timeLimit(.minutes(10)))
struct EarlyConnectionTests {
    @Test("A request that waits for its answer keeps those behind it in their order")
    func order() async throws {
        let (router, given, open) = (EarlyDoor.router(), EarlyDoor.Given(), AwaitedValue(false))
        let asked = AwaitedValue(false)
        router.get("/wait") { _, _ -> Response in
            asked.change { $0 = true }
            await open.wait { $0 }
            return .text("waited")
        }
        try await RunningServer.with(router, early: given.early) { server in
            let wait = "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"
            let connection = try await HeldConnection(port: server.port, sending: Array([EarlyDoor.door, wait, EarlyDoor.door].joined().utf8))
            await asked.wait { $0 }
            #expect(given.count == 1)
            // The first is answered meanwhile.
            #expect(await connection.firstAnswer()?.hasPrefix("HTTP/1.1 200 OK") == true)
            open.change { $0 = true }
            try await connection.send(Array(EarlyDoor.line(EarlyDoor.get, "Connection: close").utf8))
            let answer = try await connection.end()
            let contents = answer.components(of: "HTTP/1.1 200 OK").map { String($0.suffix(6)) }
            #expect(contents == [#"003e"}"#, "waited", #"003e"}"#, #"003e"}"#])
            #expect(given.count == 1)
        }
    }

    @Test("Who reads is answered all that it asks in one piece, also where that is more than is held back for who does not")
    func much() async throws {
        let given = EarlyDoor.Given()
        try await RunningServer.with(EarlyDoor.router(), early: given.early) { server in
            let many = Array(String(repeating: EarlyDoor.door, count: 200).utf8)
            let answer = try await RawConnection.exchange(port: server.port, [many], endsOutput: true)
            // What nobody answers early waits for its turn, and of that 17 are too many.
            #expect(answer?.components(of: "HTTP/1.1 200 OK").count == 200)
        }
    }

    @Test("Who asks for much that is large and begins to read late has all of it, and others are answered meanwhile")
    func large() async throws {
        let large = [UInt8](repeating: 55, count: 200_000)
        let early: EarlyAnswer = { $0.address == "/door" ? large : nil }
        try await RunningServer.with(EarlyDoor.router(), early: early) { server in
            let end = EarlyDoor.line("GET /other HTTP/1.1", "Connection: close")
            let many = Array((String(repeating: EarlyDoor.door, count: 100) + end).utf8)
            // More than lies between the two ends.
            let late = try await HeldConnection(port: server.port, reads: false, sending: many)
            let other = try await RawConnection.exchange(port: server.port, [Array(EarlyDoor.door.utf8)], endsOutput: true)
            #expect((other?.utf8.count ?? 0) > large.count)
            try await late.read()
            let answer = try await late.end()
            #expect(answer.utf8.count > 100 * large.count && answer.hasSuffix("other"))
        }
    }

    @Test("Who asks on and on and takes no answer is read no more, and closed")
    func neverReads() async throws {
        let given = EarlyDoor.Given()
        let limits = ServiceLimits(idle: .seconds(3))
        try await RunningServer.with(EarlyDoor.router(), limits: limits, early: given.early) { server in
            let connection = try await HeldConnection(port: server.port, reads: false)
            let many = Array(String(repeating: EarlyDoor.door, count: 100).utf8)
            // Until the server takes no more, or has closed it.
            while connection.isOpen, (try? await connection.send(many)) != nil {}
            _ = try await connection.end()
            #expect(given.count > 0)
            // Others are answered as ever.
            let answer = try await RawConnection.exchange(port: server.port, [Array(EarlyDoor.door.utf8)], endsOutput: true)
            #expect(answer?.hasPrefix("HTTP/1.1 200 OK") == true)
        }
    }

    @Test("Who goes as soon as it has asked leaves nothing behind, and the server stops as ever")
    func leaves() async throws {
        let given = EarlyDoor.Given()
        try await RunningServer.with(EarlyDoor.router(), early: given.early) { server in
            for _ in 0..<50 {
                let connection = try await HeldConnection(port: server.port, sending: Array((EarlyDoor.door + EarlyDoor.door).utf8))
                await connection.close()
            }
            let answer = try await RawConnection.exchange(port: server.port, [Array(EarlyDoor.door.utf8)], endsOutput: true)
            #expect(answer?.hasPrefix("HTTP/1.1 200 OK") == true)
        }
    }

    @Test("A stop closes a connection that was answered early, and what is asked while another waits is told that the connection ends")
    func drain() async throws {
        let (router, given, open, drain) = (EarlyDoor.router(), EarlyDoor.Given(), AwaitedValue(false), DrainSignal())
        let asked = AwaitedValue(false)
        router.get("/wait") { _, _ -> Response in
            asked.change { $0 = true }
            await open.wait { $0 }
            return .text("waited")
        }
        try await RunningServer.with(router, drain: drain, early: given.early) { server in
            let idle = try await HeldConnection(port: server.port, sending: Array(EarlyDoor.door.utf8))
            #expect(await idle.firstAnswer()?.contains("\r\nConnection: close\r\n") == false)
            let busy = try await HeldConnection(port: server.port, sending: Array("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            await asked.wait { $0 }
            await server.stop()
            _ = try await idle.end()
            await drain.wait()
            open.change { $0 = true }
            let answer = try await busy.end()
            #expect(answer.contains("\r\nConnection: close\r\n") && answer.hasSuffix("waited"))
            #expect(given.count == 1)
        }
    }

    @Test("While the server stops and a connection is still open, it is answered early as ever, and the answer says that it ends")
    func stopping() async throws {
        let (given, drain) = (EarlyDoor.Given(), DrainSignal())
        try await RunningServer.with(EarlyDoor.router(), drain: drain, early: given.early) { server in
            drain.begin()
            let answer = try await RawConnection.exchange(port: server.port, [Array(EarlyDoor.door.utf8)], endsOutput: true)
            #expect(answer?.contains("\r\nConnection: close\r\n") == true && given.count == 1)
        }
    }

    @Test("One that is silent, and one whose head never ends, are closed in their time")
    func times() async throws {
        let given = EarlyDoor.Given()
        let limits = ServiceLimits(idle: .seconds(4), arrival: .seconds(2))
        try await RunningServer.with(EarlyDoor.router(), limits: limits, early: given.early) { server in
            let half = try await HeldConnection(port: server.port, sending: Array("GET /door HTTP/1.1\r\n".utf8))
            let silent = try await HeldConnection(port: server.port, sending: Array(EarlyDoor.door.utf8))
            _ = try await half.end()
            let answer = try await silent.end()
            #expect(answer.hasPrefix("HTTP/1.1 200 OK") && given.count == 1)
        }
    }
}

extension String {
    /// What stands behind each occurrence of a text.
    fileprivate func components(of text: String) -> [Substring] { split(separator: text).map { $0 } }
}
