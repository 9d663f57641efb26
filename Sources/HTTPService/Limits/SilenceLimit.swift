import NIOCore
import NIOHTTP1

/// Closes a connection that is silent for too long between two requests, before its first, or in the midst of one. The framework's own limit stands where it
/// hears nothing of requests that are answered early, and would close under a client that asks all the time.
///
/// Of what comes, and of its own answers, it is told by ``EarlyAnswers``, behind it; those of the routes pass through.
final class SilenceLimit: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limit: TimeAmount
    private var context: ChannelHandlerContext?
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
        self.context = context
        last = context.eventLoop.now
        lookLater(at: last + limit, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        look?.cancel()
    }

    /// A part of a request came.
    func came(_ part: HTTPServerRequestPart) {
        switch part {
        case .head:
            unanswered += 1
            isArriving = true
        case .body: break
        case .end: isArriving = false
        }
        if !isLast { noteTime() }
    }

    /// A request was answered.
    func answered() {
        // What was refused before it was a request is answered, too.
        unanswered = max(0, unanswered - 1)
        noteTime()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { answered() }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .output = mode { isLast = true }
        context.close(mode: mode, promise: promise)
    }

    private func noteTime() {
        if let context { last = context.eventLoop.now }
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
