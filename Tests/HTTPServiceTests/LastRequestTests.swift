import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import HTTPService

@Suite("The last request of a connection")
struct LastRequestTests {
    /// A connection of which those behind hear.
    private final class Place {
        private let channel: EmbeddedChannel
        private let behind = Behind()
        var heard: [String] { behind.heard }

        init() { channel = EmbeddedChannel(handlers: [RefusedHead(log: RefusalLog(), logger: Logger(label: "test")), behind]) }

        func come() { channel.pipeline.syncOperations.fireUserInboundEventTriggered(FirstByte.Came(bytes: ByteBuffer(string: "GET"))) }

        func ask(_ path: String, _ fields: HTTPFields = [:]) {
            let head = HTTPRequest(method: .post, scheme: "http", authority: "x", path: path, headerFields: fields)
            channel.pipeline.fireChannelRead(HTTPRequestPart.head(head))
            channel.pipeline.fireChannelRead(HTTPRequestPart.body(ByteBuffer(string: "a")))
            channel.pipeline.fireChannelRead(HTTPRequestPart.end(nil))
        }

        private final class Behind: ChannelInboundHandler {
            typealias InboundIn = HTTPRequestPart
            var heard: [String] = []

            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if event is FirstByte.Came { heard.append("bytes") }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                switch unwrapInboundIn(data) {
                case .head(let head): heard.append(head.path ?? "")
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
        place.ask("/first", [.connection: "keep-alive"])
        place.ask("/last", [.connection: "close"])
        place.ask("/more")
        place.come()
        place.ask("/still", [.connection: "close"])
        #expect(place.heard == ["bytes", "/first", "body", "end", "/last", "body", "end"])
    }
}
