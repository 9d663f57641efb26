import NIOCore
import NIOHTTP1

/// Ends a connection whose answer has a status below 100, which is none (RFC 9110 §15): the client above takes it for an interim answer and ends the
/// process over its body.
final class StatusCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isRefused = false

    /// Puts a check between what reads the bytes of a connection and what makes answers of them.
    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusCheck(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < HTTPResponseStatus.continue.code {
            isRefused = true
            context.fireErrorCaught(StatusError(status: Int(head.status.code)))
            context.close(promise: nil)
        }
        if !isRefused { context.fireChannelRead(data) }
    }
}

/// An answer had a status that is none (RFC 9110 §15).
package struct StatusError: Error, Equatable, CustomStringConvertible {
    package let status: Int

    package var description: String { "answered with the status \(status), which is none" }
}
