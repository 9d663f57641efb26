import NIOCore

/// Closes a connection whose other end does not take what is sent to it: without it an answer that nobody reads keeps its connection for ever. When all was taken
/// and nothing more is to be sent, ``LingeringClose`` begins.
final class StalledReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: ServiceLimits
    private var timer: Scheduled<Void>?
    private var isStopping = false

    /// - Parameter limits: how long a connection may be silent, and so how long more may wait to be sent than it holds back.
    init(_ limits: ServiceLimits) {
        self.limits = limits
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = channel.isWritable ? nil : context.eventLoop.scheduleTask(in: limits.idle) { channel.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isStopping = true }
        // It says so when the last byte has gone to the system.
        if case .outputClosed? = event as? ChannelEvent {
            try? context.pipeline.syncOperations.addHandler(LingeringClose(limits, isStopping: isStopping), position: .first)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }
}
