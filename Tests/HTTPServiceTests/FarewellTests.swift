import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPService

@Suite("The last answer of a connection whose server stops")
struct FarewellTests {
    private static let patience = TimeAmount.seconds(1)

    /// A connection, and what those hear that answer on it.
    private final class Place {
        let channel: EmbeddedChannel
        let drain = DrainSignal()
        private let behind = Behind()
        /// The requests, and everything else.
        var heard: [String] { behind.heard }

        init() throws {
            let farewell = Farewell(drain: drain, patience: FarewellTests.patience)
            channel = EmbeddedChannel(handlers: [ConnectionRules(farewell), farewell, behind])
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
        }

        func ask(_ path: String, _ fields: HTTPHeaders = [:]) {
            var fields = fields
            fields.add(name: "Host", value: "x")
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: fields)))
            channel.pipeline.fireChannelRead(HTTPServerRequestPart.end(nil))
        }

        /// The listener is closed.
        func stop() {
            drain.begin()
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }

        func begin(_ status: HTTPResponseStatus = .ok) throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status)))
        }

        func answer() throws {
            try begin()
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }

        /// The answers since the last look: what each says of the connection.
        func said() throws -> [[String]] {
            var said: [[String]] = []
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                if case .head(let head) = part { said.append(head.headers["connection"]) }
            }
            return said
        }

        func wait() { channel.embeddedEventLoop.advanceTime(by: FarewellTests.patience) }
    }

    private final class Behind: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        var heard: [String] = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data) { heard.append(head.uri) }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { heard.append("event") }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { heard.append("error") }
    }

    @Test("Without a stop no answer says anything of the connection")
    func goesOn() throws {
        let place = try Place()
        for path in ["/1", "/2"] {
            place.ask(path)
            try place.answer()
        }
        place.wait()
        #expect(try place.said() == [[], []] && place.channel.isActive)
    }

    @Test("Of the requests that were taken each is answered, and the last answer says that it is that; from the first one on nothing more is taken")
    func several() throws {
        let place = try Place()
        for path in ["/1", "/2", "/3"] { place.ask(path) }
        place.drain.begin()
        // Nobody has been told yet.
        place.ask("/4")
        for path in ["/5", "/6", "/7"] {
            try place.answer()
            place.ask(path)
        }
        #expect(place.channel.isActive)
        try place.answer()
        #expect(try place.said() == [[], [], [], ["close"]])
        #expect(place.heard == ["/1", "/2", "/3", "/4"] && !place.channel.isActive)
    }

    @Test("A word before the answer is not the answer: neither does it say that the connection ends, nor keeps it away whoever asks")
    func invitation() throws {
        let place = try Place()
        place.ask("/1", ["Expect": "100-continue"])
        place.drain.begin()
        try place.begin(.continue)
        place.ask("/2")
        try place.answer()
        try place.answer()
        #expect(try place.said() == [[], [], ["close"]] && place.heard == ["/1", "/2"])
    }

    @Test("An answer that is being given says nothing of the connection to whoever asks behind it, and the connection ends when it is whole")
    func begun() throws {
        let place = try Place()
        place.drain.begin()
        place.ask("/1")
        try place.begin()
        place.ask("/2")
        place.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(place.channel.isActive)
        try place.channel.writeOutbound(HTTPServerResponsePart.end(nil))
        #expect(try place.said() == [["close"]] && !place.channel.isActive)
        #expect(place.heard == ["/1"])
    }

    @Test("A connection on which nothing is under way stays a moment for whoever is about to ask, and those behind hear nothing of the stop")
    func idle() throws {
        let (asking, silent) = (try Place(), try Place())
        for place in [asking, silent] { place.stop() }
        #expect(silent.channel.isActive)
        asking.ask("/1")
        for place in [asking, silent] { place.wait() }
        #expect(!silent.channel.isActive && asking.channel.isActive)
        try asking.answer()
        #expect(try asking.said() == [["close"]] && !asking.channel.isActive)
        #expect(asking.heard == ["/1"] && silent.heard == [])
    }

    @Test("An answer that was begun before the stop is given to its end, and then the connection stays a moment, too")
    func begunBefore() throws {
        let (asking, silent) = (try Place(), try Place())
        for place in [asking, silent] {
            place.ask("/1")
            try place.begin()
            place.stop()
            place.wait()
            try place.channel.writeOutbound(HTTPServerResponsePart.end(nil))
            #expect(place.channel.isActive)
        }
        asking.ask("/2")
        try asking.answer()
        silent.wait()
        #expect(try asking.said() == [[], ["close"]] && silent.said() == [[]])
        #expect(!asking.channel.isActive && !silent.channel.isActive)
    }
}
