import NIOCore

/// Knows that the other end of a connection has gone: that it closed its half, the whole, or that the connection broke. A request is answered all the same; but
/// who answers for as long as somebody listens ends with it (``OtherEnd``).
///
/// Nothing else would tell in time: what is written to a connection that was closed is taken by the system, and refused when it writes again.
final class Departure: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    let hasGone = AwaitedValue(false)

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // No cast of what comes with each request.
        if type(of: event) == ChannelEvent.self, case .inputClosed? = event as? ChannelEvent { note() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        note()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { note() }

    private func note() { hasGone.change { $0 = true } }
}

/// The other end of the connection of a request: the client, or a proxy, which goes when its client does.
package struct OtherEnd: Sendable {
    private let channel: any Channel

    /// - Parameter channel: of a listener of ours, whose connections have a ``Departure``.
    init(_ channel: any Channel) { self.channel = channel }

    /// Returns when it has gone, at once where it has by now, or when the task is cancelled. Who has closed only its own half has gone, too: those for whom this is do not.
    package func leaves() async {
        let hasGone = try? await channel.eventLoop.submit { try channel.pipeline.syncOperations.handler(type: Departure.self).hasGone }.get()
        // A connection that has no handlers any more is over.
        await hasGone?.wait { $0 }
    }
}
