import NIOCore
import NIOPosix
import Synchronization

@testable import HTTPService

/// Many connections that say something, or nothing, and then stay as they are.
final class Crowd: Sendable {
    private let channels: [any Channel]
    private let answers: Answers

    /// - Parameters:
    ///   - addresses: of this machine, that the connections come from in turn: 127.0.0.2 and those that follow.
    ///   - reads: false to take nothing of what is answered.
    ///   - bytes: what each sends.
    init(_ count: Int, port: Int, addresses: Int = 1, reads: Bool = true, sending bytes: [UInt8] = []) async throws {
        _ = DescriptorLimit.raise()
        let answers = Answers()
        let buffer = ByteBuffer(bytes: bytes)
        var channels: [any Channel] = []
        for number in 0..<count {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(to: SocketAddress(ipAddress: "127.0.0.\(2 + number % addresses)", port: 0))
                .channelOption(.autoRead, value: reads)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Listening(answers)) }
                }
                .connect(host: "127.0.0.1", port: port).get()
            // Not waited for: whoever is turned away takes nothing.
            if !bytes.isEmpty { channel.writeAndFlush(buffer, promise: nil) }
            channels.append(channel)
        }
        (self.channels, self.answers) = (channels, answers)
    }

    var open: Int { channels.count { $0.isActive } }

    /// How many were answered with this status.
    func count(of status: Int) -> Int { answers.byStatus.withLock { $0[status, default: 0] } }

    /// Waits until one of them was answered, and says with what status.
    func firstStatus() async -> Int? {
        for await status in answers.news { return status }
        return nil
    }

    func disperse() async {
        for channel in channels { try? await channel.close() }
    }

    private final class Answers: Sendable {
        let byStatus = Mutex<[Int: Int]>([:])
        let news: AsyncStream<Int>
        private let report: AsyncStream<Int>.Continuation

        init() { (news, report) = AsyncStream.makeStream() }

        func note(_ status: Int) {
            byStatus.withLock { $0[status, default: 0] += 1 }
            report.yield(status)
        }
    }

    /// Reads the status of the first answer.
    private final class Listening: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let answers: Answers
        private var isAnswered = false

        init(_ answers: Answers) { self.answers = answers }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: unwrapInboundIn(data))
            guard !isAnswered, text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)) else { return }
            isAnswered = true
            answers.note(status)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
