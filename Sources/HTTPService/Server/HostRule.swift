import NIOCore
import NIOHTTP1

/// Takes a request with one Host, or with none where it is older than HTTP/1.1 (RFC 9112 §3.2). Of two, a proxy could look at one and a server at the
/// other. Stands behind the parser, which is the last to know the version.
final class HostRule: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A request names no Host, or more than one.
    struct Refused: Error {}

    /// A request was refused: what comes now is read by nobody.
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.allows(head) {
            isOver = true
            return context.fireErrorCaught(Refused())
        }
        context.fireChannelRead(data)
    }

    private static func allows(_ head: HTTPRequestHead) -> Bool {
        switch head.headers["host"].count {
        case 0: (head.version.major, head.version.minor) < (1, 1)
        case 1: true
        default: false
        }
    }
}
