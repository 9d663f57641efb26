import Foundation
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import HTTPService

@Suite("Limits of connections", .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    private func router() -> Router<ServiceRequestContext> {
        let router = Router(context: ServiceRequestContext.self)
        router.addServiceMiddleware()
        router.get("/who") { _, context in context.remoteAddress ?? "nobody" }
        return router
    }

    private let question = Array("GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)

    @Test("A connection beyond its peer's part is closed at once, other peers are served, and whoever goes makes room")
    func perPeer() async throws {
        let limits = ServiceLimits(connections: ConnectionLimits(total: 100, perPeer: 3))
        try await RunningServer.with(router(), limits: limits) { server in
            var held: [HeldConnection] = []
            for _ in 0..<3 { held.append(try await HeldConnection(port: server.port, from: "127.0.0.2")) }
            for _ in 0..<5 {
                let refused = try await HeldConnection(port: server.port, from: "127.0.0.2")
                #expect(try await refused.end() == "")
            }
            let other = try await HeldConnection(port: server.port, from: "127.0.0.3", sending: question)
            #expect(try await other.end().hasSuffix("127.0.0.3"))
            #expect(held.allSatisfy { $0.isOpen })
            await held.removeLast().close()
            try await until("room for one") {
                let again = try await HeldConnection(port: server.port, from: "127.0.0.2", sending: question)
                return try await again.end().hasSuffix("127.0.0.2")
            }
        }
    }

    @Test("Where whoever connects has something to say, connections that never say a word make room within that time, and one that was used stays")
    func silent() async throws {
        let limits = ServiceLimits(idle: .hours(1), opening: .seconds(5), connections: ConnectionLimits(total: 8))
        try await RunningServer.with(router(), limits: limits) { server in
            let used = try await used(of: server)
            var silent: [HeldConnection] = []
            for _ in 0..<12 { silent.append(try await HeldConnection(port: server.port)) }
            let late = try await HeldConnection(port: server.port, sending: question)
            #expect(try await late.end().hasPrefix("HTTP/1.1 200 "))
            for connection in silent { #expect(try await connection.end() == "") }
            #expect(used.isOpen)
        }
    }

    /// A connection that was used. On a machine that is busy for as long as silence may last it is closed before its word arrives, and is made anew.
    private func used(of server: RunningServer) async throws -> HeldConnection {
        for _ in 0..<9 {
            let connection = try await HeldConnection(port: server.port, sending: Array("GET /who HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            if await connection.firstAnswer() != nil { return connection }
        }
        throw Unused()
    }

    private struct Unused: Error {}

    @Test("Beyond the total a connection waits, and is served as soon as another goes")
    func total() async throws {
        let limits = ServiceLimits(connections: ConnectionLimits(total: 8))
        try await RunningServer.with(router(), limits: limits) { server in
            let kept = Array("GET /who HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            var connections: [HeldConnection] = []
            for _ in 0..<40 { connections.append(try await HeldConnection(port: server.port, sending: kept)) }
            let held = connections
            try await until("as many as there may be are served") { held.count { !$0.answer.isEmpty } >= 8 }
            // Another round, in which nobody else is let in; up to three are accepted together with the last.
            let first = try #require(held.first { !$0.answer.isEmpty })
            try await first.send(kept)
            try await until("the second answer") { first.answer.components(separatedBy: "HTTP/1.1 200 ").count == 3 }
            #expect(held.count { !$0.answer.isEmpty } <= 11)
            let late = try await HeldConnection(port: server.port, sending: question)
            for connection in held { await connection.close() }
            #expect(try await late.end().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(
        "Where connections give way, one that is silent, has sent half a request or was answered makes room at once, the oldest first",
        arguments: ["", "GET /who HT", "GET /who HTTP/1.1\r\nHost: x\r\n\r\n"])
    func givingWay(beginning: String) async throws {
        let limits = ServiceLimits(idle: .hours(1), arrival: .hours(1), connections: ConnectionLimits(total: 8, givesWay: true))
        try await RunningServer.with(router(), limits: limits) { server in
            var held: [HeldConnection] = []
            for _ in 0..<40 {
                let connection = try await HeldConnection(port: server.port, sending: Array(beginning.utf8))
                if beginning.hasSuffix("\r\n\r\n") { #expect(await connection.firstAnswer()?.hasPrefix("HTTP/1.1 200 ") == true) }
                held.append(connection)
            }
            let late = try await HeldConnection(port: server.port, sending: question)
            #expect(try await late.end().hasPrefix("HTTP/1.1 200 "))
            let all = held
            try await until("the others made room") { all.count { $0.isOpen } <= 8 }
            #expect(all.last?.isOpen == true)
        }
    }

    @Test("Where connections give way a request that has arrived is answered, however many come meanwhile, and they come in as soon as it is")
    func underWay() async throws {
        let (arrived, mayGo) = (AwaitedValue(0), AwaitedValue(0))
        let router = router()
        router.get("/hold") { _, _ in
            arrived.change { $0 += 1 }
            await mayGo.wait { $0 > 0 }
            return "held"
        }
        let limits = ServiceLimits(connections: ConnectionLimits(total: 4, givesWay: true))
        try await RunningServer.with(router, limits: limits) { server in
            let asking = Array("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            var held: [HeldConnection] = []
            for _ in 0..<4 { held.append(try await HeldConnection(port: server.port, sending: asking)) }
            await arrived.wait { $0 == 4 }
            var silent: [HeldConnection] = []
            for _ in 0..<20 { silent.append(try await HeldConnection(port: server.port)) }
            let late = try await HeldConnection(port: server.port, sending: question)
            #expect(held.allSatisfy { $0.isOpen })
            mayGo.change { $0 = 1 }
            for connection in held { #expect(await connection.firstAnswer()?.hasPrefix("HTTP/1.1 200 ") == true) }
            #expect(try await late.end().hasPrefix("HTTP/1.1 200 "))
            for connection in silent { await connection.close() }
        }
    }

    @Test("The time of a request counts from its first byte: a head that trickles is cut off, also on a connection that was kept")
    func trickle() async throws {
        let limits = ServiceLimits(idle: .hours(1), arrival: .seconds(1))
        try await RunningServer.with(router(), limits: limits) { server in
            let half = try await HeldConnection(port: server.port, sending: Array("GET /who HT".utf8))
            #expect(try await half.end() == "")
            let kept = try await HeldConnection(port: server.port, sending: Array("GET /who HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(await kept.firstAnswer()?.hasPrefix("HTTP/1.1 200 ") == true)
            try await kept.send(Array("G".utf8))
            #expect(try await kept.end().components(separatedBy: "HTTP/1.1 ").count == 2)
        }
    }

    @Test("A connection that never sends a byte is closed after the idle time")
    func silence() async throws {
        let limits = ServiceLimits(idle: .seconds(1), arrival: .hours(1))
        try await RunningServer.with(router(), limits: limits) { server in
            let silent = try await HeldConnection(port: server.port)
            #expect(try await silent.end() == "")
        }
    }

    @Test("A connection that takes nothing of its answer is closed after the idle time, and what makes the answer ends")
    func stalled() async throws {
        let router = router()
        let (ended, report) = AsyncStream.makeStream(of: Void.self)
        router.get("/endless") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    defer { report.finish() }
                    while true { try await writer.write(ByteBuffer(repeating: 7, count: 16_384)) }
                })
        }
        let limits = ServiceLimits(idle: .seconds(1), arrival: .hours(1))
        try await RunningServer.with(router, limits: limits) { server in
            let deaf = try await HeldConnection(port: server.port, reads: false, sending: Array("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            for await _ in ended {}
            await deaf.close()
        }
    }

    @Test("The descriptors of a process are shared out: whatever the limit, other listeners and the server's own files keep theirs")
    func shares() throws {
        for (descriptors, open, reserved) in [(136, 48, 16), (256, 138, 46), (1024, 714, 238), (20_000, 18_904, 1024), (1 << 30, 20_000, 1024)] {
            let shares = try ConnectionShares(descriptors: descriptors, processors: 2)
            #expect(shares.open == ConnectionLimits(total: open, perPeer: open / 2))
            #expect(shares.reserved == ConnectionLimits(total: reserved))
            #expect(descriptors - shares.open.total - shares.reserved.total >= 72)
        }
        let wanted = try ConnectionShares(descriptors: 100_000, total: 90_000, perPeer: 40, processors: 2)
        #expect(wanted.open == ConnectionLimits(total: 90_000, perPeer: 40))
        #expect(try ConnectionShares(descriptors: 1024, total: 90_000, perPeer: 80_000, processors: 2).open.perPeer == 714)
        #expect(throws: ServerStartError.tooFewDescriptors(limit: 135, needed: 136)) { try ConnectionShares(descriptors: 135, processors: 2) }
    }

    @Test("The listener that strangers reach and every other one have shares and a memory of their own; where nobody is a stranger silence is short")
    func listeners() throws {
        let shares = try ConnectionShares(descriptors: 1024, perPeer: 40, processors: 2)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (open, reserved) = (
            ServiceLimits.open(shares, listener: "public", logger: logger), ServiceLimits.reserved(shares, listener: "private", logger: logger)
        )
        #expect(open.connections == shares.open && reserved.connections == shares.reserved)
        #expect(open.opening == nil && reserved.opening == TimeAmount.seconds(5))
        #expect(open.bodies !== reserved.bodies && open.bodies !== BodyBudget.standard && reserved.bodies !== BodyBudget.standard)
    }

    @Test("A peer is an IPv4 address, however it is written, or the /64 of an IPv6 address, which is in a /56")
    func peers() throws {
        func peer(_ text: String) throws -> Peer? { Peer(try SocketAddress(ipAddress: text, port: 7)) }
        #expect(try peer("192.0.2.1") == peer("192.0.2.1") && peer("192.0.2.1") != peer("192.0.2.2"))
        #expect(try peer("::ffff:192.0.2.1") == peer("192.0.2.1"))
        #expect(try peer("64:ff9b::192.0.2.1") == peer("192.0.2.1") && peer("64:ff9b::192.0.2.1") != peer("64:ff9b::192.0.2.2"))
        #expect(try peer("2001:db8:1:2::1") == peer("2001:db8:1:2:ffff::9"))
        #expect(try peer("2001:db8:1:2::1") != peer("2001:db8:1:3::1"))
        #expect(try peer("2001:db8:1:2::1")?.description == "2001:db8:1:2::/64")
        #expect(try peer("192.0.2.1")?.description == "192.0.2.1")
        #expect(try peer("2001:db8:1:2ff::1")?.network == "2001:db8:1:200::/56")
        #expect(try peer("2001:db8:1:200::1")?.network == peer("2001:db8:1:2ab::9")?.network)
        #expect(try peer("2001:db8:1:300::1")?.network != peer("2001:db8:1:200::1")?.network)
        #expect(try peer("192.0.2.1")?.network == nil && peer("::ffff:192.0.2.1")?.network == nil)
        #expect(Peer(try SocketAddress(unixDomainSocketPath: "/tmp/x")) == nil)
    }
}

/// Waits until something is true that no event tells.
func until(_ what: String, _ condition: @Sendable () async throws -> Bool) async throws {
    while try await !condition() {
        try await Task.sleep(for: .milliseconds(5))
    }
}
