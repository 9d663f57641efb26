import OstiaryTesting
import Testing

@Suite("Many connections in a process of their own", .timeLimit(.minutes(10)))
struct CrowdTests {
    @Test("They are that process's, stay until the other side closes them, and are told when they are closed")
    func held() async throws {
        let crowd: Crowd
        do {
            let socket = try LoopbackSocket()
            crowd = try await Crowd(40, port: Int(socket.port), addresses: 3)
            #expect(crowd.open == 40)
            #expect(try heldSockets(of: crowd.id).count == 40)
            // Nobody has accepted them: they go with the one who would have.
            withExtendedLifetime(socket) {}
        }
        try await eventually("all are told as closed") { crowd.open == 0 }
        #expect(await crowd.firstStatus() == nil)
        await crowd.disperse()
    }

    @Test("Each says what it is to, and what it is answered is counted by its status")
    func answered() async throws {
        let server = try RawServer { $0.send("HTTP/1.1 418 No\r\nContent-Length: 0\r\n\r\n") }
        let crowd = try await Crowd(12, port: Int(server.port), sending: Array("GET /here HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(await crowd.firstStatus() == 418)
        try await eventually("all are answered: \(crowd.count(of: 418))") { crowd.count(of: 418) == 12 }
        #expect(crowd.count(of: 200) == 0 && server.requests.count == 12)
        await crowd.disperse()
    }

    @Test("Where nobody listens there is none, and it is told")
    func refused() async throws {
        let socket = try LoopbackSocket(listens: false)
        await #expect(throws: Timeout.self) { try await Crowd(1, port: Int(socket.port)) }
    }
}
