import NIOCore
import NIOHTTP1

/// Closes a connection that is silent for too long between two requests, before its first, or in the midst of one. The framework's own limit stands where it
/// hears nothing of requests that are answered early, and would close under a client that asks all the time.
final class SilenceLimit: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Says that a request was answered by bytes that do not pass by here.
    struct Answered {}

    private let limit: TimeAmount
    private var last = NIODeadline.uptimeNanoseconds(0)
    private var unanswered = 0
    private var isArriving = false
    /// Our half is closed: what comes behind the last request has no answer, and is silence.
    private var isLast = false
    private var look: Scheduled<Void>?

    init(limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        last = context.eventLoop.now
        lookLater(at: last + limit, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isArriving = true
        case .body: break
        case .end: isArriving = false
        }
        if !isLast { last = context.eventLoop.now }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { noteAnswer(context) }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Answered else { return context.triggerUserOutboundEvent(event, promise: promise) }
        noteAnswer(context)
        promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .output = mode { isLast = true }
        context.close(mode: mode, promise: promise)
    }

    private func noteAnswer(_ context: ChannelHandlerContext) {
        // What was refused before it was a request is answered, too.
        unanswered = max(0, unanswered - 1)
        last = context.eventLoop.now
    }

    /// A request that has come whole may be answered as late as it likes: then time counts from its answer.
    private func checkTime(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        let end = unanswered > 0 && !isArriving && !isLast ? now + limit : last + limit
        guard end > now else { return context.close(promise: nil) }
        lookLater(at: end, context)
    }

    private func lookLater(at time: NIODeadline, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(deadline: time) {
            let (limit, context) = bound.value
            limit.checkTime(context)
        }
    }
}
