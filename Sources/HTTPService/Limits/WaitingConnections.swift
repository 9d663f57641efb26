import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The connections of a listener on which the server waits for the client: with no request, with half of one, or with an answer that is not taken. When
/// there are as many as there may be, whoever has waited longest makes room for the next.
///
/// A request that has arrived is answered whatever else comes, so only those are kept out who would find all places taken by requests under way.
final class WaitingConnections: Sendable {
    private struct State {
        var began: UInt64 = 0
        var all: [ObjectIdentifier: (since: UInt64, channel: any Channel)] = [:]
        /// The last who was to make room found nobody.
        var isWanted = false
    }

    private let state = Mutex(State())

    /// From now on the server waits for this one, unless it did before.
    /// - Parameter isNew: whether it has just come in: then it makes no room before it could ask.
    func begin(_ channel: any Channel, isNew: Bool = false) {
        let isWanted = state.withLock { state in
            guard state.all[ObjectIdentifier(channel)] == nil else { return false }
            state.began += 1
            state.all[ObjectIdentifier(channel)] = (state.began, channel)
            return state.isWanted && !isNew
        }
        // Not at once: its answer is being written.
        if isWanted { channel.eventLoop.execute { self.makeRoom() } }
    }

    /// It has asked something, or is gone.
    func end(_ channel: any Channel) {
        state.withLock { state in _ = state.all.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes the one that has waited longest, or else the first that begins to.
    func makeRoom() {
        let oldest = state.withLock { state in
            let oldest = state.all.min { $0.value.since < $1.value.since }
            state.isWanted = oldest == nil
            return oldest.flatMap { state.all.removeValue(forKey: $0.key) }
        }
        oldest?.channel.close(promise: nil)
    }
}

/// Says of its connection whether the server waits for the client.
final class ClientsTurn: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: WaitingConnections
    /// Requests that have arrived and are not answered; one less when the answer came before the request's end.
    private var unanswered = 0

    init(_ connections: WaitingConnections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) { connections.begin(context.channel, isNew: true) }

    func handlerRemoved(context: ChannelHandlerContext) { connections.end(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            unanswered += 1
            look(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isOver = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        guard isOver else { return }
        unanswered -= 1
        look(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        look(context)
        context.fireChannelWritabilityChanged()
    }

    private func look(_ context: ChannelHandlerContext) {
        if unanswered <= 0 || !context.channel.isWritable {
            connections.begin(context.channel)
        } else {
            connections.end(context.channel)
        }
    }
}
