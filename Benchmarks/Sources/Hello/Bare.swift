import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// The floor of an answer by HTTP/1.1 in Swift: NIO's parser and encoder, one handler, a constant.
enum Bare {
    /// Serves on loopback until the process ends, and prints the port when it does.
    static func run(answering count: Int) async throws {
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: count)
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Constant(body))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        print(server.localAddress?.port ?? 0)
        fflush(nil)
        try await server.closeFuture.get()
    }
}

/// Answers every request with the same bytes.
private final class Constant: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let head: HTTPResponseHead
    private let body: ByteBuffer

    init(_ body: ByteBuffer) {
        let headers: HTTPHeaders = ["content-type": "application/json", "content-length": "\(body.readableBytes)"]
        head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        self.body = body
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
