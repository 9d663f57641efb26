import Dispatch
import NIOCore
import NIOHTTP1
import NIOPosix
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("A connection whose server stops, on a thread that is late", .timeLimit(.minutes(5)))
struct LateFarewellTests {
    private static let patience = TimeAmount.milliseconds(50)

    /// Answers each request with nothing.
    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .noContent))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    @Test(
        "A request that came while its thread was at something else is answered, though its time is over when the thread looks")
    func late() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let accepted = group.next().makePromise(of: (any Channel).self)
        let listener = try await ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                let farewell = Farewell(drain: DrainSignal(), patience: Self.patience)
                try channel.pipeline.syncOperations.addHandlers([
                    HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), ConnectionRules(farewell), farewell, Answerer(),
                ])
                accepted.succeed(channel)
            }
        }.bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let client = try await onOwnThread { try RawClient(port: port) }
        let channel = try await accepted.futureResult.get()

        let (begun, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        channel.eventLoop.execute {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
            let over = NIODeadline.now() + Self.patience
            begun.signal()
            sent.wait()
            while NIODeadline.now() <= over {}
        }
        let answer = await onOwnThread {
            begun.wait()
            client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            sent.signal()
            return client.ask("")
        }
        #expect(answer.hasPrefix("HTTP/1.1 204 ") && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
        try await listener.close()
        try await group.shutdownGracefully()
    }
}
