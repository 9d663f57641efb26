import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPService

@Suite("Answers before the routes, and what stands behind them")
struct EarlyAnswersTests {
    /// A connection on which `/door` is answered early, and what those behind hear.
    private final class Place {
        /// Of what those behind hear.
        enum Heard: Equatable {
            case bytes(Int)
            case head(String)
            case body
            case end
            case error
            case closed
        }

        let channel: EmbeddedChannel
        let drain = DrainSignal()
        private let front = FirstByte(limit: nil)
        private let behind = Behind()
        var heard: [Heard] { behind.heard }

        /// - Parameter end: the other end, if it does not take whatever it is sent.
        init(_ end: FullEnd? = nil) throws {
            let early = EarlyAnswers({ $0.address == "/door" ? Array("{}".utf8) : nil }, through: front, drain: drain)
            var handlers: [any ChannelHandler] = [front, HTTPResponseEncoder(), early, behind]
            if let end { handlers.insert(end, at: 0) }
            channel = EmbeddedChannel(handlers: handlers)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
        }

        /// One piece of what comes, as the parser tells it.
        func receive(_ parts: [HTTPServerRequestPart], isWhole: Bool = true) {
            guard let parser = try? channel.pipeline.syncOperations.context(handler: front) else {
                Issue.record("nothing comes in")
                return
            }
            parser.fireUserInboundEventTriggered(FirstByte.Came(bytes: ByteBuffer(string: "GET")))
            for part in parts { parser.fireChannelRead(NIOAny(part)) }
            if isWhole { parser.fireChannelReadComplete() }
        }

        /// What the routes answer.
        func answer(_ fields: HTTPHeaders = [:]) throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }

        /// What was sent since the last look, piece by piece.
        func sent() throws -> [String] {
            var sent: [String] = []
            while let piece = try channel.readOutbound(as: IOData.self) {
                if case .byteBuffer(let bytes) = piece, bytes.readableBytes > 0 { sent.append(String(buffer: bytes)) }
            }
            return sent
        }

        /// What was answered early since the last look, each by its content.
        func given() throws -> [String] {
            try sent().compactMap { piece in piece.hasSuffix("\r\n\r\n{}") ? "{}" : nil }
        }

        private final class Behind: ChannelInboundHandler {
            typealias InboundIn = HTTPServerRequestPart
            var heard: [Heard] = []

            func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
                if let came = event as? FirstByte.Came { heard.append(.bytes(came.bytes.readableBytes)) }
                if case .inputClosed? = event as? ChannelEvent { heard.append(.closed) }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                switch unwrapInboundIn(data) {
                case .head(let head): heard.append(.head(head.uri))
                case .body: heard.append(.body)
                case .end: heard.append(.end)
                }
            }

            func errorCaught(context: ChannelHandlerContext, error: any Error) { heard.append(.error) }
        }
    }

    /// Has room for one answer; for the next when what is there was sent, if the other end takes it.
    private final class FullEnd: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        private let takes: Bool

        init(takes: Bool) { self.takes = takes }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            (context.channel as? EmbeddedChannel)?.isWritable = false
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            if takes { (context.channel as? EmbeddedChannel)?.isWritable = true }
            context.flush()
        }
    }

    private static func request(_ address: String, _ fields: HTTPHeaders = [:]) -> [HTTPServerRequestPart] { [head(address, fields), .end(nil)] }

    private static func head(_ address: String, _ fields: HTTPHeaders = [:]) -> HTTPServerRequestPart {
        .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: address, headers: fields))
    }

    @Test("Of what is answered early nobody behind hears anything, also not that bytes came, however often that is")
    func nothingBehind() throws {
        let place = try Place()
        for _ in 0..<3 {
            place.receive(Self.request("/door") + Self.request("/door"))
            #expect(try place.given() == ["{}", "{}"])
        }
        #expect(place.heard == [])
    }

    @Test("An answer is what a route would give: status, type, length, a name and the time, and nothing to be kept")
    func answer() throws {
        let place = try Place()
        place.receive(Self.request("/door"))
        let sent = try place.sent()
        // One piece, so that the system is asked once.
        #expect(sent.count == 1)
        let lines = try #require(sent.first).components(separatedBy: "\r\n")
        #expect(
            lines.prefix(4) == [
                "HTTP/1.1 200 OK", "Content-Type: application/json; charset=utf-8", "Cache-Control: no-store", "Content-Length: 2",
            ])
        #expect(lines.dropFirst(4).map { String($0.prefix { $0 != ":" }) } == ["X-Request-Id", "Date", "", "{}"])
        #expect(lines[4].count == "X-Request-Id: ".count + 32 && lines[5].hasSuffix(" GMT"))
    }

    @Test("Everything else goes on untouched and in its order, and whoever stands behind hears of its bytes first")
    func passesOn() throws {
        let place = try Place()
        place.receive(Self.request("/other"))
        #expect(place.heard == [.bytes(3), .head("/other"), .end])
        #expect(try place.given() == [])
    }

    @Test("Behind a request that is not answered yet the routes have all that comes, and after its answer early answers go on")
    func inOrder() throws {
        let place = try Place()
        place.receive(Self.request("/door") + Self.request("/other") + Self.request("/door"))
        #expect(try place.given() == ["{}"])
        #expect(place.heard == [.bytes(3), .head("/other"), .end, .head("/door"), .end])
        try place.answer()
        place.receive(Self.request("/door"))
        #expect(try place.given() == [])
        try place.answer()
        try place.answer()
        place.receive(Self.request("/door"))
        #expect(try place.given() == ["{}"])
    }

    @Test("Half a head is told to whoever gives it its time, and when it is whole it is theirs")
    func halfHead() throws {
        let place = try Place()
        place.receive([])
        #expect(place.heard == [.bytes(3)])
        place.receive(Self.request("/door"))
        #expect(place.heard == [.bytes(3), .bytes(3), .head("/door"), .end])
        #expect(try place.given() == [])
        try place.answer()
        place.receive(Self.request("/door"))
        #expect(try place.given() == ["{}"])
    }

    @Test("Behind an answer in the same piece, half a head is told with its next bytes, as behind one of the routes")
    func halfHeadBehind() throws {
        let place = try Place()
        place.receive(Self.request("/door"))
        place.receive([])
        place.receive([])
        #expect(place.heard == [.bytes(3), .bytes(3)])
    }

    @Test("A body is handed on with what stands before it, in whatever pieces it comes")
    func body() throws {
        let place = try Place()
        place.receive([Self.head("/door", ["Content-Length": "2"]), .body(ByteBuffer(string: "a"))])
        place.receive([.body(ByteBuffer(string: "b")), .end(nil)])
        #expect(place.heard == [.bytes(3), .head("/door"), .body, .bytes(3), .body, .end])
        // No parser tells this; it is handed on whole all the same.
        let other = try Place()
        other.receive([Self.head("/door"), .body(ByteBuffer(string: "a")), .end(nil)])
        other.receive([Self.head("/door")])
        #expect(other.heard == [.bytes(3), .head("/door"), .body, .end, .bytes(3), .head("/door")])
        #expect(try place.given() + other.given() == [])
    }

    @Test(
        "What a field may mean to the connection or says of a body leaves the request to the routes",
        arguments: [
            ("Expect", "100-continue"), ("connection", "close"), ("CONNECTION", "upgrade"), ("Connection", "keep-alive, close"), ("Connection", ""),
            ("Upgrade", "h2c"), ("Content-Length", "0"), ("transfer-encoding", "chunked"), ("Trailer", "X"),
        ])
    func fields(name: String, value: String) throws {
        let place = try Place()
        place.receive(Self.request("/door", ["Host": "x", name: value]))
        #expect(try place.given() == [] && place.heard == [.bytes(3), .head("/door"), .end])
    }

    @Test("What every client says leaves it early", arguments: ["keep-alive", "Keep-Alive"])
    func keepAlive(value: String) throws {
        let place = try Place()
        place.receive(Self.request("/door", ["Host": "x", "Connection": value, "Accept": "*/*", "Expected": "100-continue"]))
        #expect(try place.given() == ["{}"])
    }

    @Test("Another method or version is the routes'")
    func methods() throws {
        for (method, version) in [(HTTPMethod.HEAD, HTTPVersion.http1_1), (.POST, .http1_1), (.GET, .http1_0), (.GET, .http0_9), (.GET, .http2)] {
            let place = try Place()
            place.receive([.head(HTTPRequestHead(version: version, method: method, uri: "/door")), .end(nil)])
            #expect(try place.given() == [], "\(method) \(version)")
        }
    }

    @Test("A connection that the routes end, by a request or an answer, is theirs to its end")
    func ends() throws {
        let asked = try Place()
        asked.receive(Self.request("/other", ["Connection": "close"]))
        try asked.answer()
        asked.receive(Self.request("/door"))
        let told = try Place()
        told.receive(Self.request("/other"))
        try told.answer(["Connection": "close"])
        told.receive(Self.request("/door"))
        #expect(try asked.given() + told.given() == [])
        #expect(asked.heard.last == .end && told.heard.count == 6)
    }

    @Test("Who takes no answers, and who asks while the server stops, is left to the routes")
    func leftToRoutes() throws {
        let full = try Place()
        full.channel.isWritable = false
        full.receive(Self.request("/door"))
        #expect(try full.given() == [])
        full.channel.isWritable = true
        try full.answer()
        full.receive(Self.request("/door"))
        #expect(try full.given() == ["{}"])
        let stopping = try Place()
        stopping.drain.begin()
        stopping.receive(Self.request("/door"))
        #expect(try stopping.given() == [] && stopping.heard.count == 3)
    }

    @Test("Who takes what it is sent is answered all that it asks in one piece; who does not, one more than it has room for")
    func muchInOnePiece() throws {
        let three = Self.request("/door") + Self.request("/door") + Self.request("/door")
        let taking = try Place(FullEnd(takes: true))
        taking.receive(three)
        #expect(try taking.given() == ["{}", "{}", "{}"] && taking.heard == [])
        let full = try Place(FullEnd(takes: false))
        full.receive(three)
        #expect(try full.given() == ["{}"])
        #expect(full.heard == [.bytes(3), .head("/door"), .end, .head("/door"), .end])
    }

    @Test("Who closes its half is told of to those behind once: behind early answers when these are sent, otherwise at once")
    func closedHalf() throws {
        func closed(after parts: [HTTPServerRequestPart]) throws -> [Place.Heard] {
            let place = try Place()
            if !parts.isEmpty { place.receive(parts) }
            place.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            place.channel.embeddedEventLoop.run()
            return place.heard
        }
        #expect(try closed(after: []) == [.closed])
        #expect(try closed(after: Self.request("/door")) == [.closed])
        #expect(try closed(after: Self.request("/other")) == [.bytes(3), .head("/other"), .end, .closed])
        #expect(try closed(after: Self.request("/door") + Self.request("/other")) == [.bytes(3), .head("/other"), .end, .closed])
    }

    @Test("Behind an early answer nobody takes the bytes of its request for those of what is none")
    func errors() throws {
        let place = try Place()
        place.receive(Self.request("/door"), isWhole: false)
        place.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(place.heard == [.bytes(0), .error])
        let alone = try Place()
        alone.receive([], isWhole: false)
        alone.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        #expect(alone.heard == [.bytes(3), .error])
    }

    @Test("A field that comes twice is nobody's")
    func twice() {
        func request(_ fields: HTTPHeaders) -> EarlyRequest? {
            EarlyRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: fields))
        }
        #expect(request(["X-Key": "a"])?.only("x-key") == "a")
        #expect(request(["x-key": "a", "X-Keys": "b"])?.only("x-key") == "a")
        #expect(request(["X-Key": "a", "x-KEY": "a"])?.only("x-key") == nil)
        #expect(request([:])?.only("x-key") == nil && request(["X-Kex": "a", "X\u{0D}Key": "a"])?.only("x-key") == nil)
    }
}
