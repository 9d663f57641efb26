import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes

/// Closes a connection that asks on and on without waiting for answers, and joins small pieces of a body.
///
/// The decoder turns all that was read into parts at once, each many times as large as its bytes, and they wait until what stands before them is
/// answered. Without it, whoever takes no answer fills the memory with them.
final class WaitingRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: Int
    private let told: LimitLog
    /// What each request that waits holds, about, in bytes; the oldest first. One that is alone is measured when another comes.
    private var waiting: [Int] = []
    private var alone: HTTPRequest?
    /// Too many waited: what is still decoded of this connection goes nowhere.
    private var isOver = false
    /// Of a body; not yet handed on.
    private var pieces: ByteBuffer?

    /// What the requests that wait may hold together; a single one is bounded by the decoder.
    private static let most = 32_768
    /// Bytes of a body that need not wait for more of what was read with them.
    private static let enough = 4096

    /// - Parameter limit: requests of the connection whose answers are not yet written.
    init(limit: Int, told: LimitLog) {
        self.limit = limit
        self.told = told
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            guard hasRoom(for: head) else { return refuse(context) }
            context.fireChannelRead(data)
        case .body(let piece):
            join(piece)
            if let pieces, pieces.readableBytes >= Self.enough { handOn(context) }
        case .end:
            handOn(context)
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        handOn(context)
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return }
        handOn(context)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // What was refused before it was a request is answered, too.
        if case .end = unwrapOutboundIn(data), !waiting.isEmpty {
            waiting.removeFirst()
            alone = nil
        }
        context.write(data, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if isOver { told.over(.requests) }
    }

    /// Takes a request among those that wait, unless they are too many or too much. One alone is always let in.
    private func hasRoom(for head: HTTPRequest) -> Bool {
        guard !waiting.isEmpty else {
            waiting = [0]
            alone = head
            return true
        }
        if let alone { waiting[0] = Self.size(of: alone) }
        alone = nil
        waiting.append(Self.size(of: head))
        return waiting.count <= limit && waiting.reduce(0, +) <= Self.most
    }

    /// A field costs more than its text.
    private static func size(of head: HTTPRequest) -> Int {
        head.headerFields.reduce(head.path?.utf8.count ?? 0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
    }

    private func join(_ piece: ByteBuffer) {
        if pieces == nil {
            pieces = piece
        } else {
            pieces?.writeImmutableBuffer(piece)
        }
    }

    private func handOn(_ context: ChannelHandlerContext) {
        guard let pieces else { return }
        self.pieces = nil
        context.fireChannelRead(wrapInboundOut(.body(pieces)))
    }

    private func refuse(_ context: ChannelHandlerContext) {
        isOver = true
        let channel = context.channel
        let peer = channel.remoteAddress.flatMap(Peer.init)
        told.met(.requests, ["limit": "\(limit)", "peer": "\(peer?.description ?? "?")"])
        // Not at once: the decoder is in the midst of what was read.
        context.eventLoop.execute { channel.close(promise: nil) }
    }
}
