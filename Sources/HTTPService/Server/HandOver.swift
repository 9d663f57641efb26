import HummingbirdCore
import NIOCore

/// Hands a connection that was accepted to the loop that has it served, or closes it when that takes none any more: whoever stops a server, at whatever moment,
/// leaves none in between.
///
/// NIO's own sequence of connections drops those that wait in it when the task that reads it is cancelled, and NIO ends the process for each of them
/// (apple/swift-nio#2637). An `AsyncStream` gives whoever is cancelled all that waits before it ends, and tells who comes later that it has.
///
/// It hands a connection over when that is open: to close its input alone before, as a request does that is cancelled, ends the process, too. It stands last,
/// so that of one that was closed before it was ever open it lets go when NIO's own handlers have: in the other order NIO ends the process for that.
final class HandOver: ChannelInboundHandler {
    typealias InboundIn = Never

    private let taker: AsyncStream<HTTP1Channel.Value>.Continuation
    /// Kept until it was taken or is closed: NIO ends the process for one that goes open.
    private var connection: HTTP1Channel.Value?

    init(of connection: HTTP1Channel.Value, to taker: AsyncStream<HTTP1Channel.Value>.Continuation) {
        self.connection = connection
        self.taker = taker
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        guard let connection else { return }
        guard case .enqueued = taker.yield(connection) else { return context.close(promise: nil) }
        self.connection = nil
    }

    func handlerRemoved(context: ChannelHandlerContext) { connection = nil }
}
