import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive in time, or goes on arriving long after it was answered.
///
/// Without it one byte a minute keeps a connection for ever. Time counts from the first byte, which ``FirstByte`` tells. A request that arrives in
/// one piece costs no timer.
final class ArrivalDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private var isArriving = false
    /// What is being answered while it arrives is the last of its connection.
    private var isLast = false
    private var timer: Scheduled<Void>?

    /// What a client that was answered early on a connection that stays still gets to stop sending.
    private static let farewell = TimeAmount.seconds(2)

    init(limit: TimeAmount) {
        self.limit = limit
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is FirstByte.Came { isArriving = true }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            isArriving = false
            stopTimer()
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isArriving, timer == nil { startTimer(limit, context: context) }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isArriving { noteAnswer(unwrapOutboundIn(data), context) }
        context.write(data, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopTimer()
    }

    /// Of the last request nobody waits for the rest: that is read until its answer is gone, and then as long as ``LingeringClose`` says.
    private func noteAnswer(_ part: HTTPResponsePart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head): isLast = head.headerFields[.connection] == "close"
        case .body: break
        case .end:
            stopTimer()
            if isLast {
                isArriving = false
            } else {
                startTimer(Self.farewell, context: context)
            }
        }
    }

    private func startTimer(_ time: TimeAmount, context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func stopTimer() {
        timer?.cancel()
        timer = nil
    }
}

/// Stands before the decoder, which tells nothing of a request until its head is whole, and says that bytes came. A connection on which none come in time
/// it closes. Before the encoder, too: through here go answers that are bytes already.
final class FirstByte: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let limit: TimeAmount?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Hears by a call that bytes came. Nil where all behind are told, by an event, of which each handler asks what it is.
    var listener: ((Came) -> Void)?

    /// - Parameter limit: how long the very first may take; nil when only silence in general is limited.
    init(limit: TimeAmount?) {
        self.limit = limit
    }

    /// Comes before the parts that the bytes decode to.
    struct Came {
        let bytes: ByteBuffer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let channel = context.channel
        timer = limit.map { context.eventLoop.scheduleTask(in: $0) { channel.close(promise: nil) } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        (self.context, listener) = (nil, nil)
        timer?.cancel()
    }

    /// Writes a whole answer, which somebody flushes. On the thread of the connection only.
    func write(_ answer: ByteBuffer, promise: EventLoopPromise<Void>?) { context?.write(wrapOutboundOut(.byteBuffer(answer)), promise: promise) }

    /// Sends what was written. On the thread of the connection only.
    func flush() { context?.flush() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        timer?.cancel()
        timer = nil
        let came = Came(bytes: unwrapInboundIn(data))
        if let listener { listener(came) } else { context.fireUserInboundEventTriggered(came) }
        context.fireChannelRead(data)
    }
}
