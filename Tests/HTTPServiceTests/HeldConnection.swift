import NIOCore
import NIOPosix
import Synchronization

/// A connection that sends what it is told to and then stays as it is, until a test or the server closes it.
final class HeldConnection: Sendable {
    private let channel: any Channel
    private let received: Received

    /// - Parameters:
    ///   - address: this end; every 127.x.y.z is this machine.
    ///   - reads: false to take nothing of what is answered before it is told to.
    ///   - closes: false to go on when the server has closed its half.
    init(port: Int, from address: String = "127.0.0.1", reads: Bool = true, closes: Bool = true, sending bytes: [UInt8] = []) async throws {
        let received = Received()
        channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: !closes)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Collector(received)) }
            }
            .connect(host: "127.0.0.1", port: port).get()
        self.received = received
        // The server may have closed it by now; what came of it is what counts.
        if !bytes.isEmpty { try? await send(bytes) }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// From now on it takes what is answered.
    func read() async throws { try await channel.setOption(.autoRead, value: true).get() }

    /// All that came so far.
    var answer: String { received.text }
    var isOpen: Bool { channel.isActive }

    /// Waits until the server has closed it, and answers all that came.
    func end() async throws -> String {
        try await channel.closeFuture.get()
        return answer
    }

    /// Waits until something of an answer is there; nil when the server closes without a word.
    func firstAnswer() async -> String? {
        for await _ in received.news { return answer }
        return nil
    }

    func close() async {
        try? await channel.close()
    }

    private final class Received: Sendable {
        private let bytes = Mutex(ByteBuffer())
        let news: AsyncStream<Void>
        private let report: AsyncStream<Void>.Continuation

        init() { (news, report) = AsyncStream.makeStream() }

        var text: String { bytes.withLock { String(buffer: $0) } }

        func add(_ part: ByteBuffer) {
            bytes.withLock { _ = $0.writeImmutableBuffer(part) }
            report.yield()
        }

        func end() { report.finish() }
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let received: Received

        init(_ received: Received) { self.received = received }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { received.add(unwrapInboundIn(data)) }
        func channelInactive(context: ChannelHandlerContext) { received.end() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
