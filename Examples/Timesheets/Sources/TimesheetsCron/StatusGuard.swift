import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClient.Configuration {
    /// It goes where it is sent and nowhere else: who is led elsewhere would bring a secret there, or what people did. And no answer counts whose status is none.
    static var guarded: Self {
        var configuration = Self(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // For debugging by its name; it is the only place where the client lets others at a connection.
        configuration.http1_1ConnectionDebugInitializer = StatusGuard.add
        return configuration
    }
}

/// Ends a connection whose answer has a status below 100 (RFC 9110 §15): the client takes it for an interim answer, and its body ends the process.
private final class StatusGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private struct NoStatus: Error {}

    private var isRefused = false

    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGuard(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isRefused = true
            context.fireErrorCaught(NoStatus())
            context.close(promise: nil)
        }
        if !isRefused { context.fireChannelRead(data) }
    }
}
