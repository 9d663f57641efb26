import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers 501 to a request whose method the parser does not know; for the parser it is the same as rubbish, which is 400.
final class UnknownMethod: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// What is being parsed.
    private var bytes: ByteBuffer?
    /// Requests that are not answered yet: theirs is the next word.
    private var pending = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let came = event as? FirstByte.Came { bytes = came.bytes }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { pending += 1 }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        bytes = nil
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { pending -= 1 }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case HTTPParserError.invalidMethod? = error as? HTTPParserError, pending == 0, let bytes, Self.isRequest(bytes) else {
            return context.fireErrorCaught(error)
        }
        let response = MethodRules.notImplemented.response(requestID: "none")
        var head = response.head
        head.headerFields[.connection] = "close"
        head.headerFields[.contentLength] = "0"
        let channel = context.channel
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Whether bytes begin with a line such as `BREW /pot HTTP/1.1`.
    private static func isRequest(_ bytes: ByteBuffer) -> Bool {
        let line = bytes.readableBytesView.prefix(256).prefix { $0 != 13 }.split(separator: 32, omittingEmptySubsequences: false)
        guard line.count == 3, (1...32).contains(line[0].count), !line[1].isEmpty else { return false }
        return line[0].allSatisfy { (65...90).contains($0) || $0 == 45 } && line[2].elementsEqual("HTTP/1.1".utf8)
    }
}
