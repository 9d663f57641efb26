import NIOCore
import NIOHTTP1

/// The framework's parser, and a new one behind each request that asks for another protocol, or makes a tunnel.
///
/// NIO's parser takes no byte behind such a request, since the rest would be the other protocol's, and keeps all that comes. Nobody here takes up another
/// protocol, so what comes is HTTP as ever (RFC 9110 §7.8). Behind a request that is the last of its connection nothing is parsed, and nothing kept.
final class RequestParser: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: ServiceLimits
    private let rules: ConnectionRules
    private var parser: HTTPRequestDecoder

    /// - Parameter rules: the next handler of the same connection, which hears each part before this goes on.
    init(limits: ServiceLimits, rules: ConnectionRules) {
        self.limits = limits
        self.rules = rules
        parser = Self.parser(limits)
    }

    func decoderAdded(context: ChannelHandlerContext) { parser.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { parser.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard !rules.isOver else { return drop(&buffer) }
        _ = try parser.decode(context: context, buffer: &buffer)
        while rules.takeStop() {
            renew(context)
            if buffer.readableBytes > 0 { _ = try parser.decode(context: context, buffer: &buffer) }
        }
        return rules.isOver ? drop(&buffer) : .needMoreData
    }

    func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
        guard !rules.isOver else { return drop(&buffer) }
        return try parser.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    private func drop(_ buffer: inout ByteBuffer) -> DecodingState {
        buffer.moveReaderIndex(to: buffer.writerIndex)
        return .needMoreData
    }

    private func renew(_ context: ChannelHandlerContext) {
        parser.decoderRemoved(context: context)
        parser = Self.parser(limits)
        parser.decoderAdded(context: context)
    }

    private static func parser(_ limits: ServiceLimits) -> HTTPRequestDecoder {
        var sizes = NIOHTTPDecoderLimitConfiguration()
        (sizes.maxHeaderFieldSize, sizes.maxHeaderListSize, sizes.maxHeaderFieldCount) = (limits.headers, limits.headers, limits.headerCount)
        return HTTPRequestDecoder(limitConfiguration: sizes)
    }
}
