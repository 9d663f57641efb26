import NIOCore

/// Closes a connection whose other end does not take what is sent to it: without it an answer that nobody reads keeps its connection for ever.
final class StalledReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?

    /// - Parameter limit: how long more may wait to be sent than a connection holds back.
    init(limit: TimeAmount) {
        self.limit = limit
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = channel.isWritable ? nil : context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }
}
