import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPService

@Suite("The last request of a connection")
struct LastRequestTests {
    /// A connection of which those behind hear.
    private final class Place {
        private let channel: EmbeddedChannel
        private let behind = Behind()
        var heard: [String] { behind.heard }

        init() { channel = EmbeddedChannel(handlers: [ConnectionRules(Farewell(drain: DrainSignal(), patience: .hours(1))), behind]) }

        func come() { channel.pipeline.syncOperations.fireUserInboundEventTriggered(FirstByte.Came(bytes: ByteBuffer(string: "GET"))) }

        func ask(_ path: String, _ fields: HTTPHeaders = [:]) {
            var fields = fields
            fields.add(name: "Host", value: "x")
            let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path, headers: fields)
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.head(head))
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.body(ByteBuffer(string: "a")))
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
        }

        private final class Behind: ChannelInboundHandler {
            typealias InboundIn = HTTPServerRequestPart
            var heard: [String] = []

            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if event is FirstByte.Came { heard.append("bytes") }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                switch unwrapInboundIn(data) {
                case .head(let head): heard.append(head.uri)
                case .body: heard.append("body")
                case .end: heard.append("end")
                }
            }
        }
    }

    @Test("Nobody hears of what comes behind it, in the same piece or later, since nobody answers it")
    func last() {
        let place = Place()
        place.come()
        place.ask("/first", ["Connection": "keep-alive"])
        place.ask("/last", ["Connection": "close"])
        place.ask("/more")
        place.come()
        place.ask("/still", ["Connection": "close"])
        #expect(place.heard == ["bytes", "/first", "body", "end", "/last", "body", "end"])
    }
}
