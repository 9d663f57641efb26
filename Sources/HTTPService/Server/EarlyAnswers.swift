import NIOCore
import NIOHTTP1

/// Answers requests where they are parsed, before they become a task's (docs/decisions/0057). What it does not answer goes on untouched and in its order: it is
/// as if this handler were not there.
///
/// It answers a request that came in one piece, while nothing before it on the connection waits for its answer, the other end takes what it is sent, and the server
/// is not stopping. Nothing is ever held back for it: behind a request of the routes the routes go on. So whoever stands behind counts and times what they know of,
/// and hears nothing of the rest: also not that bytes came, if an answer was all that they were good for.
final class EarlyAnswers: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: EarlyAnswer
    private let front: FirstByte
    private let drain: DrainSignal
    /// Requests that went on and are not answered.
    private var unanswered = 0
    /// A request or an answer of the routes has said what becomes of the connection: the rest of it is theirs.
    private var isTheirs = false
    /// Bytes came, and nobody behind has heard of it.
    private var came: FirstByte.Came?
    /// Those behind have heard of bytes of a request whose end they have not met.
    private var isArriving = false
    /// A request that may be answered here, when its end comes, which is next.
    private var held: (head: HTTPRequestHead, request: EarlyRequest)?
    /// Of what was read last something was answered here.
    private var hasAnswered = false
    /// Something was answered here, and nothing ever went on.
    private var isOnlyOurs = false
    private var hasHandedOn = false

    /// - Parameter front: of the same connection: through it answers go, past the encoder.
    init(_ answer: @escaping EarlyAnswer, through front: FirstByte, drain: DrainSignal) {
        self.answer = answer
        self.front = front
        self.drain = drain
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, isOnlyOurs { return tellOfEnd(context) }
        guard let bytes = event as? FirstByte.Came, !isArriving else { return context.fireUserInboundEventTriggered(event) }
        came = bytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if mayAnswer(context), let request = EarlyRequest(head) {
                held = (head, request)
                return
            }
            handOn(head, context)
        case .body:
            handOnHead(context)
            tell(context)
            context.fireChannelRead(data)
        case .end:
            if let held, let content = answer(held.request) {
                self.held = nil
                return give(content, context)
            }
            handOnHead(context)
            tell(context)
            isArriving = false
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOnHead(context)
        if hasAnswered {
            context.flush()
            (hasAnswered, came) = (false, nil)
        } else {
            // Half a head, say.
            tell(context)
        }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handOnHead(context)
        // The request that is none does not begin where these bytes do.
        if hasAnswered { came = FirstByte.Came(bytes: ByteBuffer()) }
        tell(context)
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): isTheirs = isTheirs || head.headers.contains(name: "connection")
        // What was refused before it was a request is answered, too.
        case .end: unanswered = max(0, unanswered - 1)
        case .body: break
        }
        context.write(data, promise: promise)
    }

    private func mayAnswer(_ context: ChannelHandlerContext) -> Bool {
        guard unanswered == 0, !isArriving, !isTheirs, !drain.isDraining else { return false }
        // What was answered of this piece may be all that waits: it was not sent yet, so nobody knows whether the other end takes it.
        if hasAnswered, !context.channel.isWritable { context.flush() }
        return context.channel.isWritable
    }

    /// One piece for all that the encoder would make of it: head and content are some seven hundred bytes, and the system is asked once.
    private func give(_ content: [UInt8], _ context: ChannelHandlerContext) {
        hasAnswered = true
        isOnlyOurs = !hasHandedOn
        var bytes = context.channel.allocator.buffer(capacity: Self.mostOfHead + content.count)
        bytes.writeBytes(Self.beforeLength)
        bytes.writeString(String(content.count))
        bytes.writeStaticString("\r\nX-Request-Id: ")
        bytes.writeString(RequestName.next())
        bytes.writeStaticString("\r\nDate: ")
        bytes.writeString(HTTPDate.now)
        bytes.writeStaticString("\r\n\r\n")
        bytes.writeBytes(content)
        front.write(bytes)
        context.triggerUserOutboundEvent(SilenceLimit.Answered(), promise: nil)
    }

    /// The beginning of a head, whose fields stand in the order in which the routes' answers have them.
    private static let beforeLength = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: \(AnswerFields.json)\r\nCache-Control: \(AnswerFields.notKept)\r\nContent-Length: ".utf8)
    private static let mostOfHead = beforeLength.count + 128

    private func handOn(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        unanswered += 1
        (hasHandedOn, isOnlyOurs) = (true, false)
        isTheirs = isTheirs || EarlyRequest.endsConnection(head)
        tell(context)
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func handOnHead(_ context: ChannelHandlerContext) {
        guard let head = held?.head else { return }
        held = nil
        handOn(head, context)
    }

    /// Who has never been asked anything closes at once when nothing more can come: so they hear of that when all that was answered is sent.
    private func tellOfEnd(_ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in bound.value.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        // Writes no byte: the answers before it said how long they are.
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    private func tell(_ context: ChannelHandlerContext) {
        guard let came else { return }
        (self.came, isArriving) = (nil, true)
        context.fireUserInboundEventTriggered(came)
    }
}
