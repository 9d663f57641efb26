import NIOCore
import NIOHTTP1

/// How a connection ends when the server stops (RFC 9112 §9.6; docs/decisions/0073). What it was asked is answered, the last answer says `Connection: close`, and
/// when that has gone to the system our half is closed and the rest is ``LingeringClose``'s. One on which nothing is under way stays a moment for whoever
/// was about to ask, who is told by the answer, and then ends in the same way.
///
/// It counts what the connection is owed: by ``ConnectionRules``, before it, it is told of each request; the answers of the routes pass through, and
/// ``EarlyAnswers`` tells of its own. Of a server that does not stop it changes nothing.
final class Farewell: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let drain: DrainSignal
    private let patience: TimeAmount
    private var context: ChannelHandlerContext?
    /// Requests that were taken and are not answered.
    private var unanswered = 0
    /// The listener is closed: beside the phase, since the server stops before that, and an answer may begin meanwhile.
    private var isStopping = false
    /// How far its end has come; never back. From `closing` on no further request is taken, since an answer was begun while the server stops;
    /// in `last` the answer that is being given is the last.
    private enum Phase: Comparable { case open, closing, last, over }
    private var phase = Phase.open
    /// The last answer was given: nothing is said behind it.
    var isOver: Bool { phase == .over }
    private var end: Scheduled<Void>?

    /// - Parameter patience: how long a connection on which nothing is under way may still ask.
    init(drain: DrainSignal, patience: TimeAmount) {
        self.drain = drain
        self.patience = patience
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        end?.cancel()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // 100 is a word before the answer.
            guard head.status.code >= 200, begins() else { break }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: break
        case .end:
            context.write(data, promise: sent(promise))
            return answered()
        }
        context.write(data, promise: promise)
    }

    /// Whether the server stops.
    var hasBegun: Bool { isStopping || drain.isDraining }

    /// Whether a request that comes is taken: then it is owed an answer.
    func takes() -> Bool {
        guard phase == .open else { return false }
        unanswered += 1
        return true
    }

    /// An answer begins: whether it is the last, and says so. From the first one on that begins while the server stops nothing more is taken, so that whoever asks
    /// on and on has a last one, too.
    func begins() -> Bool {
        guard hasBegun else { return false }
        phase = max(phase, unanswered <= 1 ? .last : .closing)
        return phase >= .last
    }

    /// What is to hear that the end of an answer has gone to the system: behind the last one our half is closed.
    func sent(_ promise: EventLoopPromise<Void>?) -> EventLoopPromise<Void>? {
        guard phase >= .last, let channel = context?.channel else { return promise }
        let sent = promise ?? channel.eventLoop.makePromise(of: Void.self)
        // Not before: where the other end has closed its half, that would be the end of both, and of what was not sent.
        sent.futureResult.whenSuccess { channel.close(mode: .output, promise: nil) }
        return sent
    }

    /// An answer was given.
    func answered() {
        // What was refused before it was a request is answered, too.
        unanswered = max(0, unanswered - 1)
        if phase >= .last {
            phase = .over
        } else if isStopping, unanswered == 0 {
            // It was begun before the stop, and has said nothing of it.
            endSoon()
        }
    }

    /// The listener is closed.
    func stop() {
        isStopping = true
        if unanswered == 0 { endSoon() }
    }

    /// In parts, each from when the thread came to the one before: what is due is done without a look at the sockets, and a thread that is late would close over a
    /// request that has long come. Between parts it looks.
    /// - Parameter parts: of its patience, which are left.
    private func endSoon(in parts: Int64 = Farewell.parts) {
        guard end == nil, let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        end = context.eventLoop.scheduleTask(in: .nanoseconds(patience.nanoseconds / Self.parts)) { bound.value.endIfIdle(parts - 1) }
    }

    private static let parts: Int64 = 5

    private func endIfIdle(_ parts: Int64) {
        end = nil
        guard unanswered == 0, phase < .last, let channel = context?.channel else { return }
        guard parts == 0 else { return endSoon(in: parts) }
        phase = .over
        // NIO ends the process for half of a connection that is not open yet.
        if channel.isActive { channel.close(mode: .output, promise: nil) } else { channel.close(promise: nil) }
    }
}
