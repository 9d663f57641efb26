import Dispatch
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOPosix
import Testing

@testable import HTTPService

@Suite("Many connections of one thread, answered early", .timeLimit(.minutes(5)))
struct EarlyThreadTests {
    /// Bytes of each answer.
    private static let length = 1000

    /// Connections of one thread. A question is a number, with which its answer begins.
    private final class Crowd {
        let loop: EmbeddedEventLoop
        private let turns: TurnQueue
        private var connections: [(channel: EmbeddedChannel, front: FirstByte, early: EarlyAnswers)] = []
        /// The questions of each that were answered.
        private(set) var answered: [[Int]] = []

        init(_ count: Int) throws {
            loop = EmbeddedEventLoop()
            turns = TurnQueue(loop)
            for _ in 0..<count { try join() }
        }

        /// - Returns: which one it is.
        @discardableResult
        func join() throws -> Int {
            let front = FirstByte(limit: nil)
            let early = EarlyAnswers(
                { request in
                    let name = Array(request.address.utf8.dropFirst())
                    return name + [UInt8](repeating: UInt8(ascii: " "), count: EarlyThreadTests.length - name.count)
                }, through: front, farewell: Farewell(drain: DrainSignal(), patience: .hours(1)), silence: SilenceLimit(limit: .hours(1)),
                turns: turns)
            let handlers: [any ChannelHandler] = [front, HTTPResponseEncoder(), early]
            let channel = EmbeddedChannel(handlers: handlers, loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
            connections.append((channel, front, early))
            answered.append([])
            return connections.count - 1
        }

        /// One piece of one connection.
        func ask(_ index: Int, _ questions: Range<Int>) throws {
            let connection = connections[index]
            let parser = try connection.channel.pipeline.syncOperations.context(handler: connection.front)
            connection.early.hear(FirstByte.Came(bytes: ByteBuffer(string: "GET")))
            for question in questions {
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/\(question)")
                parser.fireChannelRead(NIOAny(HTTPServerRequestPart.head(head)))
                parser.fireChannelRead(NIOAny(HTTPServerRequestPart.end(nil)))
            }
            parser.fireChannelReadComplete()
        }

        /// The thread looks, finds nothing, and does what is due then.
        func look() { loop.advanceTime(by: TurnQueue.pause) }

        /// - Returns: how many were answered since it was asked last.
        func take() throws -> Int {
            try connections.indices.reduce(0) { try $0 + take(of: $1) }
        }

        func take(of index: Int) throws -> Int {
            var count = 0
            while let piece = try connections[index].channel.readOutbound(as: IOData.self) {
                guard case .byteBuffer(let bytes) = piece, bytes.readableBytes > EarlyThreadTests.length else { continue }
                let name = bytes.getString(at: bytes.writerIndex - EarlyThreadTests.length, length: 10) ?? ""
                answered[index].append(Int(name.prefix { $0 != " " }) ?? -1)
                count += 1
            }
            return count
        }
    }

    @Test("Of forty that ask a hundred times each at once 512 KiB are answered before the next look, and all in the end, each in its order")
    func bound() throws {
        let crowd = try Crowd(40)
        for index in 0..<40 { try crowd.ask(index, 0..<100) }
        var (looks, count) = (0, try crowd.take())
        while count > 0 {
            #expect(count * Self.length <= TurnQueue.most + Self.length)
            crowd.look()
            looks += 1
            count = try crowd.take()
        }
        #expect(crowd.answered.allSatisfy { $0 == Array(0..<100) })
        // There were 80 turns: behind each look several.
        #expect(looks < 25)
    }

    @Test("Of a thousand that ask once each at once half wait, and are answered together; then a question is answered at once")
    func ordinary() throws {
        let crowd = try Crowd(1000)
        for index in 0..<1000 { try crowd.ask(index, index..<index + 1) }
        for expected in [525, 394, 81] {
            #expect(try crowd.take() == expected)
            crowd.look()
        }
        #expect(crowd.answered.enumerated().allSatisfy { $0.element == [$0.offset] })
        for index in 997..<1000 {
            try crowd.ask(index, 0..<1)
            #expect(try crowd.take(of: index) == 1)
        }
        crowd.loop.run()
    }

    @Test("Who asks one question after the other never waits, however many they are")
    func oneByOne() throws {
        let crowd = try Crowd(1)
        for question in 0..<2000 {
            try crowd.ask(0, question..<question + 1)
            #expect(try crowd.take() == 1)
            crowd.loop.run()
        }
        #expect(crowd.answered == [Array(0..<2000)])
    }

    @Test("While others wait a question is answered at once, and of a hundred the first few: the rest of these comes behind those that wait")
    func behindOthers() throws {
        let crowd = try Crowd(20)
        for index in 0..<20 { try crowd.ask(index, 0..<100) }
        crowd.look()
        _ = try crowd.take()
        let (one, many) = (try crowd.join(), try crowd.join())
        try crowd.ask(one, 7..<8)
        try crowd.ask(many, 0..<100)
        #expect(try crowd.take() == 1 + 9)
        #expect(crowd.answered[one] == [7] && crowd.answered[many].count == 9)
        crowd.look()
        #expect(try crowd.take(of: many) == 0)
        while try crowd.take() > 0 { crowd.look() }
        #expect(crowd.answered[many] == Array(0..<100))
        #expect(crowd.answered.prefix(20).allSatisfy { $0 == Array(0..<100) })
    }

    /// Takes each byte for a question.
    private final class Questions: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = HTTPServerRequestPart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            for byte in unwrapInboundIn(data).readableBytesView {
                let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/\(byte)")
                context.fireChannelRead(wrapInboundOut(.head(head)))
                context.fireChannelRead(wrapInboundOut(.end(nil)))
            }
        }
    }

    /// A server on one thread, each of whose connections is set up when `open` is told.
    private static func server(
        _ group: MultiThreadedEventLoopGroup, open: AwaitedValue<Int>, _ answer: @escaping EarlyAnswer
    ) async throws -> any Channel {
        let queues = TurnQueues()
        return try await ServerBootstrap(group: group)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // Whether somebody takes what is sent does not matter here.
            .childChannelOption(.writeBufferWaterMark, value: ChannelOptions.Types.WriteBufferWaterMark(low: 1_048_576, high: 2_097_152))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let front = FirstByte(limit: nil)
                    let farewell = Farewell(drain: DrainSignal(), patience: .hours(1))
                    let early = EarlyAnswers(
                        answer, through: front, farewell: farewell, silence: SilenceLimit(limit: .hours(1)),
                        turns: queues.queue(of: channel.eventLoop))
                    front.listener = { early.hear($0) }
                    try channel.pipeline.syncOperations.addHandlers(front, Questions(), HTTPResponseEncoder(), early)
                    open.change { $0 += 1 }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    @Test("Behind sixty that ask at once a new connection is let in and answered before each of them has had a turn")
    func newConnection() async throws {
        let (group, clients) = (MultiThreadedEventLoopGroup(numberOfThreads: 1), MultiThreadedEventLoopGroup(numberOfThreads: 1))
        let (open, given, before) = (AwaitedValue(0), AwaitedValue(0), AwaitedValue<Int?>(nil))
        let server = try await Self.server(group, open: open) { request in
            if request.address == "/1" { before.change { $0 = given.value } }
            given.change { $0 += 1 }
            return [UInt8](repeating: 55, count: Self.length)
        }
        let address = try #require(server.localAddress)
        var others: [any Channel] = []
        for _ in 0..<60 { others.append(try await ClientBootstrap(group: clients).connect(to: address).get()) }
        await open.wait { $0 == 60 }
        // The thread is kept until all have asked.
        let gate = DispatchSemaphore(value: 0)
        group.next().execute { gate.wait() }
        for other in others { try await other.writeAndFlush(ByteBuffer(repeating: 0, count: 100)) }
        let newcomer = try await ClientBootstrap(group: clients).connect(to: address).get()
        try await newcomer.writeAndFlush(ByteBuffer(repeating: 1, count: 1))
        gate.signal()
        await before.wait { $0 != nil }
        // A turn is 66 of these answers.
        #expect((before.value ?? .max) < 60 * 65)
        await given.wait { $0 == 60 * 100 + 1 }
        try await clients.shutdownGracefully()
        try await server.close()
        try await group.shutdownGracefully()
    }
}
