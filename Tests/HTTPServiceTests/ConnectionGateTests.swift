import Dispatch
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import HTTPService

@Suite("What a full listener says")
struct ConnectionGateTests {
    /// A listener with room for eight on a loop whose clock a test turns, and what it logged.
    private final class Place {
        let loop = EmbeddedEventLoop()
        let server: EmbeddedChannel
        private let said: Said

        private final class Said: Sendable { let lines = Mutex<[String]>([]) }

        init() {
            let said = Said()
            let logger = Logger(label: "test") { _ in Listening { event in said.lines.withLock { $0.append("\(event.message)") } } }
            let gate = ConnectionGate(ConnectionLimits(total: 8), told: LimitLog(logger: logger, listener: "private"))
            server = EmbeddedChannel(handler: gate, loop: loop)
            self.said = said
        }

        var lines: [String] { said.lines.withLock { $0 } }

        /// As many as there is room for come in, as they do when the listener asks for the next after each.
        func comeIn(_ count: Int = 8) throws -> [EmbeddedChannel] {
            let connections = (0..<count).map { _ in EmbeddedChannel(loop: loop) }
            for connection in connections {
                server.read()
                try server.writeInbound(connection as any Channel)
            }
            server.read()
            return connections
        }

        func leave(_ connections: [EmbeddedChannel]) {
            for connection in connections { connection.close(promise: nil) }
            loop.run()
        }
    }

    private static let met = "limit met: as many connections as there may be: new ones wait"
    private static let over = "limit is over: as many connections as there may be"

    @Test("That the limit is over is said when nobody waits any more, and not when all go at once and the next who waited come in")
    func over() throws {
        let place = Place()
        var inside = try place.comeIn()
        #expect(place.lines == [Self.met])
        for _ in 0..<20 {
            place.leave(inside)
            #expect(place.lines == [Self.met])
            inside = try place.comeIn()
            place.loop.advanceTime(by: .seconds(5))
            #expect(place.lines == [Self.met])
        }
        place.leave(inside)
        #expect(place.lines == [Self.met])
        place.loop.advanceTime(by: .seconds(1))
        #expect(place.lines == [Self.met, Self.over])
        place.loop.advanceTime(by: .hours(1))
        #expect(place.lines == [Self.met, Self.over])
    }

    @Test("A listener that stays more than half full has not seen the end of it; one that empties later has")
    func later() throws {
        let place = Place()
        let inside = try place.comeIn()
        place.leave(Array(inside[..<3]))
        place.loop.advanceTime(by: .seconds(60))
        #expect(place.lines == [Self.met])
        place.leave(Array(inside[3...]))
        place.loop.advanceTime(by: .seconds(1))
        #expect(place.lines == [Self.met, Self.over])
    }

    /// How many came in at each look.
    private final class Looks: ChannelInboundHandler {
        typealias InboundIn = any Channel

        let counts: AwaitedValue<[Int]>
        private var count = 0

        init(_ counts: AwaitedValue<[Int]>) { self.counts = counts }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count += 1
            context.fireChannelRead(data)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            let looked = count
            counts.change { $0.append(looked) }
            count = 0
            context.fireChannelReadComplete()
        }
    }

    @Test("Of those who wait in the system's queue a look brings sixteen, and never more than there may be: the others wait on, and are not closed")
    func atOnce() async throws {
        let (group, clients) = (MultiThreadedEventLoopGroup(numberOfThreads: 1), MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let counts = AwaitedValue<[Int]>([])
        let server = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let told = LimitLog(logger: Logger(label: "test"), listener: "private")
                    try channel.pipeline.syncOperations.addHandlers(ConnectionGate(ConnectionLimits(total: 40), told: told), Looks(counts))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        // The thread is kept until all wait.
        let gate = DispatchSemaphore(value: 0)
        group.next().execute { gate.wait() }
        var waiting: [any Channel] = []
        for _ in 0..<45 { waiting.append(try await ClientBootstrap(group: clients).connect(to: address).get()) }
        gate.signal()
        await counts.wait { $0.reduce(0, +) == 40 }
        // The first may have been let in before the thread was kept.
        #expect(counts.value.max() == 16 && counts.value.count <= 5, "\(counts.value)")
        #expect(!waiting.contains { !$0.isActive })
        for channel in waiting[..<3] { try await channel.close() }
        await counts.wait { $0.reduce(0, +) == 43 }
        #expect(!waiting[3...].contains { !$0.isActive })
        try await server.close()
        try await group.shutdownGracefully()
        try await clients.shutdownGracefully()
    }
}
