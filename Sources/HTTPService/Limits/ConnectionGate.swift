import Foundation
import Logging
import NIOCore

/// Stands before a listener's accepting: lets in as many connections as there may be, and of each peer no more than its part.
///
/// A connection beyond the total waits in the system's queue, or takes the place of one on which the server waits for the client; one beyond its
/// peer's part is closed at once, because a queue is everybody's. When the system has no descriptor left, accepting pauses for a quarter of a second
/// instead of asking again and again.
final class ConnectionGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let limits: ConnectionLimits
    /// Those that make room; nil where nobody does.
    private let waiting: WaitingConnections?
    private let told: LimitLog
    private var open = 0
    /// How many are accepted at one look at the listener's socket, as the channel was told.
    private var atOnce = 1
    private var byPeer: [Peer: Int] = [:]
    /// Peers that met their limit and have not fallen to half of it since.
    private var greedy: Set<Peer> = []
    /// The next connection was asked for and not let in.
    private var isWaiting = false
    /// The total was met, and it was not told that this is over.
    private var isFull = false
    /// Looks in a while whether it is over.
    private var look: Scheduled<Void>?
    private var pause: Scheduled<Void>?
    /// The most there were since memory was last given back.
    private var peak = 0

    /// Of those who wait in the system's queue a look brings so many at most: a thread that has much to answer between two looks would let in one for each.
    private static let mostAtOnce = 16
    /// From one try without a descriptor to the next.
    private static let breath = TimeAmount.milliseconds(250)
    /// Without a wait since, the total is met no more.
    private static let quiet = TimeAmount.seconds(1)

    init(_ limits: ConnectionLimits, waiting: WaitingConnections? = nil, told: LimitLog) {
        self.limits = limits
        self.waiting = waiting
        self.told = told
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        let peer = channel.remoteAddress.flatMap(Peer.init)
        if let peer, byPeer[peer, default: 0] >= limits.perPeer {
            if greedy.insert(peer).inserted { told.met(.peer, ["limit": "\(limits.perPeer)", "peer": "\(peer)"]) }
            return channel.close(promise: nil)
        }
        open += 1
        peak = max(peak, open)
        if let peer { byPeer[peer, default: 0] += 1 }
        // Not before: whoever comes is not the one who goes.
        if open > limits.total { waiting?.makeRoom() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        channel.closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (gate, context) = bound.value
            gate.left(peer, context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard pause == nil else { return }
        guard open < limits.most else {
            (isWaiting, isFull) = (true, true)
            look?.cancel()
            look = nil
            return told.met(.total, ["limit": "\(limits.total)"])
        }
        askForNext(context)
    }

    /// Never for more than there may be, or some that had only to wait would be closed; and one by one where each is to make room for the next.
    private func askForNext(_ context: ChannelHandlerContext) {
        let count = min(max(limits.total - open, 1), Self.mostAtOnce)
        if count != atOnce {
            atOnce = count
            try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: UInt(count))
        }
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        // Anything else, such as a connection that was gone before it was accepted, concerns no other connection.
        guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) else { return }
        told.met(.descriptors, ["error": "\(String(cString: strerror(error.errnoCode)).lowercased())"])
        rest(context)
    }

    private func left(_ peer: Peer?, _ context: ChannelHandlerContext) {
        open -= 1
        if let peer { leave(peer) }
        if open <= limits.total / 2 { lookWhetherOver(context) }
        if open < peak / 4 {
            if peak >= 256 { FreeMemory.giveBack() }
            peak = open
        }
        if isWaiting, pause == nil, open < limits.most {
            isWaiting = false
            askForNext(context)
        }
    }

    /// Whoever waits in the system's queue comes as soon as there is room. When the total was not met again for a while, nobody waits.
    private func lookWhetherOver(_ context: ChannelHandlerContext) {
        guard isFull, look == nil else { return }
        let gate = NIOLoopBound(self, eventLoop: context.eventLoop)
        look = context.eventLoop.scheduleTask(in: Self.quiet) {
            let gate = gate.value
            gate.look = nil
            guard gate.open <= gate.limits.total / 2 else { return }
            gate.isFull = false
            gate.told.over(.total)
        }
    }

    private func leave(_ peer: Peer) {
        let count = byPeer[peer, default: 1] - 1
        byPeer[peer] = count == 0 ? nil : count
        if count <= limits.perPeer / 2, greedy.remove(peer) != nil, greedy.isEmpty { told.over(.peer) }
    }

    /// Takes the socket out of the selector for a while: as long as it stands there, a connection that cannot be accepted wakes it without end.
    private func rest(_ context: ChannelHandlerContext) {
        guard pause == nil else { return }
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pause = context.eventLoop.scheduleTask(in: Self.breath) {
            let (gate, context) = bound.value
            gate.pause = nil
            gate.told.over(.descriptors)
            try? context.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        pause?.cancel()
        look?.cancel()
    }
}
