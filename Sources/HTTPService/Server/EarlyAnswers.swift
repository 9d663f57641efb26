import NIOCore
import NIOHTTP1

/// Answers requests where they are parsed, before they become a task's (docs/decisions/0057). What it does not answer goes on untouched and in its order: it is
/// as if this handler were not there.
///
/// It answers a request that came in one piece, while nothing before it on the connection waits for its answer. Behind a request of the routes the routes go
/// on. So whoever stands behind counts and times what they know of, and hears nothing of the rest: also not that bytes came, if an answer was all that they
/// were good for. Where the other end does not take what it is sent, or was answered much at once, or the thread has answered much since it looked at its
/// sockets (``TurnQueue``), what comes waits here (``EarlyTurn``), and the connection is not read meanwhile. While the server stops all that comes does: then
/// it is known which answer is the last (``Farewell``).
final class EarlyAnswers: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let answer: EarlyAnswer
    private let front: FirstByte
    private let farewell: Farewell
    private let silence: SilenceLimit
    private let turns: TurnQueue
    private var context: ChannelHandlerContext?
    /// Requests that went on and are not answered.
    private var unanswered = 0
    /// A request or an answer of the routes has said what becomes of the connection: the rest of it is theirs.
    private var isTheirs = false
    /// Bytes came, and nobody behind has heard of it.
    private var came: FirstByte.Came?
    /// Those behind have heard of bytes of a request whose end they have not met.
    private var isArriving = false
    /// A request that may be answered here, when its end comes, which is next.
    private var held: EarlyRequest?
    /// Of what was read last something was answered here.
    private var hasAnswered = false
    /// Something was answered here, and nothing ever went on.
    private var isOnlyOurs = false
    private var hasHandedOn = false
    private var turn = EarlyTurn()
    /// The next turn comes as soon as others had theirs.
    private var isNext = false
    /// Somebody asked for more while something waited.
    private var wantsMore = false

    /// - Parameters:
    ///   - front: of the same connection: through it answers go, past the encoder.
    ///   - farewell: of the same connection: knows whether the server stops, and which answer is the last then.
    ///   - silence: the handler before this one, which is told of each part that comes and each answer that is given here.
    ///   - turns: of its thread.
    init(_ answer: @escaping EarlyAnswer, through front: FirstByte, farewell: Farewell, silence: SilenceLimit, turns: TurnQueue) {
        self.answer = answer
        self.front = front
        self.farewell = farewell
        self.silence = silence
        self.turns = turns
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Bytes came, which are parsed next. On the thread of the connection only.
    func hear(_ bytes: FirstByte.Came) {
        guard let context else { return }
        if turn.isHolding { hold(.bytes(bytes), context) } else { note(bytes, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        if turn.isHolding { hold(.end, context) } else { end(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        silence.came(part)
        if turn.isHolding { hold(.part(part), context) } else { take(part, context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if turn.isHolding { hold(.complete, context) } else { complete(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if turn.isHolding { hold(.error(error), context) } else { fail(error, context) }
    }

    func read(context: ChannelHandlerContext) {
        guard !turn.isHolding else {
            wantsMore = true
            return
        }
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if turn.isOver, context.channel.isWritable { goOnSoon(context) }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        turn.forget()
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

    private func note(_ bytes: FirstByte.Came, _ context: ChannelHandlerContext) {
        if isArriving { context.fireUserInboundEventTriggered(bytes) } else { came = bytes }
    }

    /// The other end has closed its half.
    private func end(_ context: ChannelHandlerContext) {
        if isOnlyOurs { tellOfEnd(context) } else { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    private func take(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            guard unanswered == 0, !isArriving, !isTheirs, let request = EarlyRequest(head) else { return handOn(head, context) }
            guard hasRoom(context) else { return pause(before: part, context) }
            held = request
        case .body:
            handOnHead(context)
            tell(context)
            context.fireChannelRead(wrapInboundOut(part))
        case .end:
            if let held, let content = answer(held) {
                self.held = nil
                return give(content, context)
            }
            handOnHead(context)
            tell(context)
            isArriving = false
            context.fireChannelRead(wrapInboundOut(part))
        }
    }

    private func complete(_ context: ChannelHandlerContext) {
        handOnHead(context)
        if !turn.isHolding { turn.begin() }
        if hasAnswered {
            front.flush()
            hasAnswered = false
            // Those behind, who have not heard that something came, have nothing to hear the end of.
            guard came == nil else {
                came = nil
                return
            }
        } else {
            // Half a head, say.
            tell(context)
        }
        context.fireChannelReadComplete()
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        handOnHead(context)
        // The request that is none does not begin where these bytes do.
        if hasAnswered { came = FirstByte.Came(bytes: ByteBuffer()) }
        tell(context)
        context.fireErrorCaught(error)
    }

    private func hasRoom(_ context: ChannelHandlerContext) -> Bool {
        // What has waited is in the turn that the queue gave it.
        guard turn.hasRoom, turn.isHolding || turns.hasRoom(behind: turn.given) && !farewell.hasBegun else { return false }
        // What was answered of this piece may be all that waits: it was not sent yet, so nobody knows whether the other end takes it.
        if hasAnswered, !context.channel.isWritable { front.flush() }
        return context.channel.isWritable
    }

    /// One piece for all that the encoder would make of it: head and content are some seven hundred bytes, and the system is asked once.
    private func give(_ content: [UInt8], _ context: ChannelHandlerContext) {
        hasAnswered = true
        turn.give(content.count)
        turns.give(content.count)
        isOnlyOurs = !hasHandedOn
        // Of a server that stops all that was read with it is counted by now, since it has waited.
        let isLast = turn.isHolding && farewell.begins()
        let most = Self.mostOfHead + content.count
        var bytes = context.channel.allocator.buffer(capacity: most)
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: most) { room in
            var room = AnswerRoom(room)
            room.put(Self.beforeLength)
            room.put(String(content.count))
            room.put(Self.beforeName)
            RequestName.writeNext(to: room.take(RequestName.length))
            room.put(Self.beforeDate)
            room.put(HTTPDate.now)
            if isLast { room.put(Self.lastField) }
            room.put(Self.endOfHead)
            room.put(content)
            return room.count
        }
        front.write(bytes, promise: farewell.sent(nil))
        farewell.answered()
        silence.answered()
    }

    /// The beginning of a head, whose fields stand in the order in which the routes' answers have them.
    private static let beforeLength = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: \(AnswerFields.json)\r\nCache-Control: \(AnswerFields.notKept)\r\nContent-Length: ".utf8)
    private static let beforeName = "\r\nX-Request-Id: "
    private static let beforeDate = "\r\nDate: "
    private static let lastField = "\r\nConnection: close"
    private static let endOfHead = "\r\n\r\n"
    /// All of these, and what stands between: a length of as many digits as a number has at most, a name, a date.
    private static let mostOfHead =
        beforeLength.count + String(Int.max).utf8.count + beforeName.utf8.count + RequestName.length + beforeDate.utf8.count + HTTPDate.length
        + lastField.utf8.count + endOfHead.utf8.count

    private func handOn(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        unanswered += 1
        (hasHandedOn, isOnlyOurs) = (true, false)
        isTheirs = isTheirs || head.headers.first(name: "connection") == "close"
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

// Turns.
extension EarlyAnswers {
    /// The part is the first of the next turn.
    private func pause(before part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        turn.end(before: part)
        if hasAnswered { front.flush() }
        if context.channel.isWritable { goOnSoon(context) }
    }

    private func hold(_ next: EarlyTurn.Waiting, _ context: ChannelHandlerContext) {
        guard !turn.hold(next) else { return }
        // More than may wait: the routes are asked, which have a limit of their own.
        isTheirs = true
        goOn(context)
    }

    /// Not at once: others have something to ask, too.
    private func goOnSoon(_ context: ChannelHandlerContext) {
        guard !isNext else { return }
        isNext = true
        turns.add {
            self.isNext = false
            if self.turn.isOver, context.channel.isWritable { self.goOn(context) }
        }
    }

    private func goOn(_ context: ChannelHandlerContext) {
        turn.begin()
        while let next = turn.next() {
            switch next {
            case .bytes(let bytes): note(bytes, context)
            case .part(let part): take(part, context)
            case .end: end(context)
            // Nothing is said behind the last answer.
            case .error(let error): if !farewell.isOver { fail(error, context) }
            case .complete: complete(context)
            }
        }
        guard !turn.isHolding, wantsMore else { return }
        wantsMore = false
        context.read()
    }
}
