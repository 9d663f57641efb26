import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import HTTPService

@Suite("Turns of the connections of one thread", .timeLimit(.minutes(2)))
struct TurnQueueTests {
    /// Turns of which each asks for another.
    private final class Restless {
        private let queue: TurnQueue
        private let end: End

        init(_ queue: TurnQueue, until end: End) {
            self.queue = queue
            self.end = end
        }

        func goOn() {
            guard !end.isThere else { return }
            queue.add { self.goOn() }
        }
    }

    @Test("Between two looks each that waits has one turn, in the order in which they came, and one that has more to do comes after the next look")
    func order() {
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(loop)
        var heard: [String] = []
        queue.add {
            heard.append("first")
            queue.add { heard.append("first again") }
        }
        queue.add { heard.append("second") }
        #expect(heard == [])
        for expected in [["first", "second"], ["first", "second", "first again"]] {
            loop.advanceTime(by: TurnQueue.pause)
            #expect(heard == expected)
        }
    }

    @Test("Turns have 384 KiB of answers between two looks, and what the last of them gives beyond that; one that has more comes all the same")
    func bound() {
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(loop)
        var heard = 0
        for bytes in [Int](repeating: 65_536, count: 8) + [600_000, 600_000, 1] {
            queue.add {
                heard += 1
                queue.give(bytes)
            }
        }
        for expected in [6, 9, 10, 11] {
            loop.advanceTime(by: TurnQueue.pause)
            #expect(heard == expected)
        }
    }

    @Test("Pieces that are read are given 512 KiB between two looks; then there is as much again, and for a few answers no task was needed")
    func room() {
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(loop)
        queue.give(TurnQueue.most - 1)
        #expect(queue.hasRoom(behind: 0) && queue.hasRoom(behind: TurnQueue.most))
        queue.give(1)
        #expect(!queue.hasRoom(behind: 0))
        // What the thread does when it has served all that it found.
        loop.run()
        queue.give(65_535)
        loop.run()
        // They are counted still: nothing has run.
        queue.give(TurnQueue.most - 65_535)
        #expect(!queue.hasRoom(behind: 0))
        loop.run()
        #expect(queue.hasRoom(behind: 0))
    }

    @Test("While others wait a piece is given 8 KiB at once, and all together what turns leave of 512 KiB")
    func roomBesideTurns() {
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(loop)
        queue.add {}
        #expect(queue.hasRoom(behind: TurnQueue.few - 1) && !queue.hasRoom(behind: TurnQueue.few))
        queue.give(TurnQueue.most - TurnQueue.mostOfTurns - 1)
        #expect(queue.hasRoom(behind: 0))
        queue.give(1)
        #expect(!queue.hasRoom(behind: 0))
        loop.advanceTime(by: TurnQueue.pause)
        #expect(queue.hasRoom(behind: TurnQueue.few))
    }

    @Test("What waits behind pieces that were given all that there is comes after the next look, and not at the end of their round")
    func afterLook() {
        let loop = EmbeddedEventLoop()
        let queue = TurnQueue(loop)
        var heard = 0
        queue.give(TurnQueue.most)
        queue.add { heard += 1 }
        loop.run()
        #expect(heard == 0)
        loop.advanceTime(by: TurnQueue.pause)
        #expect(heard == 1)
    }

    @Test("Between any two its thread looks at its sockets: a new connection is let in, and its bytes are read")
    func sockets() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let end = End()
        let came = loop.makePromise(of: Void.self)
        try await loop.submit {
            let queue = TurnQueue(loop)
            for _ in 0..<3 { Restless(queue, until: end).goOn() }
        }.get()
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(FirstBytes(came)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = try await ClientBootstrap(group: group).connect(to: try #require(server.localAddress)).get()
        try await client.writeAndFlush(ByteBuffer(string: "?"))
        try await came.futureResult.get()
        end.come()
        try await client.close()
        try await server.close()
        try await group.shutdownGracefully()
    }
}

private final class End: Sendable {
    private let state = Mutex(false)

    var isThere: Bool { state.withLock(\.self) }

    func come() { state.withLock { $0 = true } }
}

private final class FirstBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let came: EventLoopPromise<Void>

    init(_ came: EventLoopPromise<Void>) { self.came = came }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { came.succeed() }
}
