import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers what ends before any route: 501 to a request whose method the parser does not know, which for the parser is the same as rubbish; 431 to an
/// address or header fields beyond every limit; 400 or 501 to what ``HeadRules`` refuse. Rubbish is 400 without a word, by the framework.
///
/// Whoever gave it, an answer that says that the connection ends is the last: what comes now is no request (RFC 9112 §9.6). What comes
/// behind a request that says so never gets here (``ConnectionRules``).
final class RefusedHead: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let log: RefusalLog
    private let logger: Logger
    /// What is being parsed.
    private var bytes: ByteBuffer?
    /// Requests that are not answered yet: theirs is the next word.
    private var pending = 0
    /// The answer that is being given says that the connection ends. It may be begun while its request still comes.
    private var isLast = false
    /// The last answer is given: what comes now is read by nobody.
    private var isOver = false

    /// - Parameter log: of the whole listener.
    init(log: RefusalLog, logger: Logger) {
        self.log = log
        self.logger = logger
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let came = event as? FirstByte.Came { bytes = came.bytes }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head = unwrapInboundIn(data) { pending += 1 }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        bytes = nil
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): isLast = head.headerFields[.connection] == "close"
        case .end:
            pending -= 1
            isOver = isOver || isLast
        case .body: break
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return }
        guard pending == 0, let refusal = refusal(of: error) else { return context.fireErrorCaught(error) }
        isOver = true
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .string(RequestName.next())
        let channel = context.channel
        let request = ServiceRequestContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        log.refused(refusal.status, error: refusal.error, request)
        let body = refusal.json(requestID: request.requestID)
        var fields = refusal.fields(beforeRoutes: request.requestID)
        fields[.connection] = "close"
        fields[.contentLength] = "\(body.readableBytes)"
        fields[.date] = HTTPDate.now
        context.write(wrapOutboundOut(.head(HTTPResponse(status: refusal.status, headerFields: fields))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            // What is still coming is not slammed the door on (LingeringClose).
            channel.close(mode: .output, promise: nil)
        }
    }

    private func refusal(of error: any Error) -> ErrorResponse? {
        if let refused = error as? HeadRules.Refused { return refused.answer }
        return switch error as? HTTPParserError {
        case .invalidMethod?: bytes.map(Self.isRequest) == true ? MethodRules.notImplemented : nil
        case .headerOverflow?: .headTooLarge
        default: nil
        }
    }

    /// Whether bytes begin with a line such as `BREW /pot HTTP/1.1`.
    private static func isRequest(_ bytes: ByteBuffer) -> Bool {
        let line = bytes.readableBytesView.prefix(256).prefix { $0 != 13 }.split(separator: 32, omittingEmptySubsequences: false)
        guard line.count == 3, (1...32).contains(line[0].count), !line[1].isEmpty else { return false }
        return line[0].allSatisfy { (65...90).contains($0) || $0 == 45 } && line[2].elementsEqual("HTTP/1.1".utf8)
    }
}

extension HeadRules.Refused {
    fileprivate var answer: ErrorResponse {
        switch self {
        case .host: .badRequest("a request names one Host")
        case .coding: ErrorResponse(.notImplemented, "not_implemented", "this server knows no transfer coding but chunked, once")
        case .oldCoding: .badRequest("HTTP/1.0 has no transfer codings")
        }
    }
}
