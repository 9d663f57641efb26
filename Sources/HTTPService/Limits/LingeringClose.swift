import NIOCore

/// Ends a connection on which all is said: the last answer has gone to the system, and our half is closed (RFC 9112 §9.6). What still comes is thrown away
/// unparsed, and read all the same: a connection that is closed over unread bytes is reset, and a reset could take the answer with it. Whoever does not close its
/// own half is left when it was silent for a while, and in any case after a longer one: its place belongs to the next. A server that stops waits less.
///
/// ``StalledReader`` adds it when it is needed, before every other handler: so it costs no request anything.
final class LingeringClose: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var silence: TimeAmount
    private let parting: TimeAmount
    private let most: TimeAmount
    private var last = NIODeadline.uptimeNanoseconds(0)
    private var end = NIODeadline.uptimeNanoseconds(0)
    private var look: Scheduled<Void>?

    init(_ limits: ServiceLimits, isStopping: Bool) {
        silence = isStopping ? min(limits.lingering, limits.parting) : limits.lingering
        parting = limits.parting
        most = limits.lingeringInAll
    }

    func handlerAdded(context: ChannelHandlerContext) {
        last = context.eventLoop.now
        end = last + most
        lookLater(at: min(last + silence, end), context)
        // Those behind may have stopped asking for more, in the midst of a body that nobody wanted.
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { last = context.eventLoop.now }

    func channelReadComplete(context: ChannelHandlerContext) { context.read() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard event is ChannelShouldQuiesceEvent else { return }
        silence = min(silence, parting)
        look?.cancel()
        checkTime(context)
    }

    private func checkTime(_ context: ChannelHandlerContext) {
        let time = min(last + silence, end)
        guard time > context.eventLoop.now else { return context.close(promise: nil) }
        lookLater(at: time, context)
    }

    private func lookLater(at time: NIODeadline, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(deadline: time) {
            let (lingering, context) = bound.value
            lingering.checkTime(context)
        }
    }
}
