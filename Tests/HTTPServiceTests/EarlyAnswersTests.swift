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
        private let rules: ConnectionRules
        private let early: EarlyAnswers
        private let behind = Behind()
        var heard: [Heard] { behind.heard }

        /// - Parameters:
        ///   - end: the other end, if it does not take whatever it is sent.
        ///   - content: what is answered.
        init(_ end: FullEnd? = nil, content: [UInt8] = Array("{}".utf8)) throws {
            let loop = EmbeddedEventLoop()
            let farewell = Farewell(drain: drain, patience: .hours(1))
            rules = ConnectionRules(farewell)
            let silence = SilenceLimit(limit: .hours(1))
            early = EarlyAnswers(
                { $0.address == "/door" ? content : nil }, through: front, farewell: farewell, silence: silence, turns: TurnQueue(loop))
            var handlers: [any ChannelHandler] = [front, HTTPResponseEncoder(), rules, farewell, silence, early, behind]
            if let end { handlers.insert(end, at: 0) }
            channel = EmbeddedChannel(handlers: handlers, loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
        }

        /// One piece of what comes, as the parser tells it.
        func receive(_ parts: [HTTPServerRequestPart], isWhole: Bool = true) {
            guard let parser = try? channel.pipeline.syncOperations.context(handler: front) else {
                Issue.record("nothing comes in")
                return
            }
            if !rules.isOver { early.hear(FirstByte.Came(bytes: ByteBuffer(string: "GET"))) }
            for part in parts { parser.fireChannelRead(NIOAny(part)) }
            if isWhole { parser.fireChannelReadComplete() }
        }

        /// The other end has taken all, and whoever else is served by the same thread had its turn.
        func goOn() {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            channel.embeddedEventLoop.advanceTime(by: TurnQueue.pause)
        }

        /// Whether it is still open after so many minutes more.
        func isOpen(after minutes: Int64) -> Bool {
            channel.embeddedEventLoop.advanceTime(by: .minutes(minutes))
            return channel.isActive
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
        /// How often it was asked for more.
        private(set) var reads = 0

        init(takes: Bool) { self.takes = takes }

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }

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
        var fields = fields
        fields.add(name: "Host", value: "x")
        return .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: address, headers: fields))
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
        place.receive(Self.request("/door", [name: value]))
        #expect(try place.given() == [] && place.heard == [.bytes(3), .head("/door"), .end])
    }

    @Test("What every client says leaves it early", arguments: ["keep-alive", "Keep-Alive"])
    func keepAlive(value: String) throws {
        let place = try Place()
        place.receive(Self.request("/door", ["Connection": value, "Accept": "*/*", "Expected": "100-continue"]))
        #expect(try place.given() == ["{}"])
    }

    @Test("Another method or version is the routes'")
    func methods() throws {
        for (method, version) in [(HTTPMethod.HEAD, HTTPVersion.http1_1), (.POST, .http1_1), (.GET, .http1_0), (.GET, .http0_9), (.GET, .http2)] {
            let place = try Place()
            place.receive([.head(HTTPRequestHead(version: version, method: method, uri: "/door", headers: ["Host": "x"])), .end(nil)])
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

    @Test("The time of silence begins with each request and each answer, whoever gives it; while the routes answer it does not run")
    func silence() throws {
        let place = try Place()
        for _ in 0..<3 {
            #expect(place.isOpen(after: 50))
            place.receive(Self.request("/door"))
            #expect(try place.given() == ["{}"])
        }
        #expect(place.isOpen(after: 50))
        place.receive(Self.request("/other"))
        #expect(place.isOpen(after: 300))
        try place.answer()
        #expect(place.isOpen(after: 59))
        #expect(!place.isOpen(after: 1))
        // Nobody waits for the answer of a request that was answered here.
        let early = try Place()
        early.receive(Self.request("/door"))
        #expect(early.isOpen(after: 59))
        #expect(!early.isOpen(after: 1))
    }

    @Test("Who takes no answers is answered when it does")
    func full() throws {
        let full = try Place()
        full.channel.isWritable = false
        full.receive(Self.request("/door"))
        #expect(try full.given() == [] && full.heard == [])
        full.goOn()
        #expect(try full.given() == ["{}"])
        full.receive(Self.request("/door"))
        #expect(try full.given() == ["{}"] && full.heard == [])
    }

    @Test("While the server stops what comes waits for its turn, so that the last answer says that it is that; nothing is said behind it")
    func stops() throws {
        let place = try Place()
        place.drain.begin()
        place.receive(Self.request("/door") + Self.request("/door") + Self.request("/door"), isWhole: false)
        place.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        place.channel.pipeline.fireChannelReadComplete()
        #expect(try place.sent() == [])
        place.goOn()
        #expect(try place.sent().map { $0.contains("\r\nConnection: close\r\n") } == [false, false, true])
        #expect(place.heard == [] && !place.channel.isActive)
    }

    @Test("Where a request of the routes stands behind early ones when the server stops, its answer is the last, and says so")
    func stopsBehind() throws {
        let place = try Place()
        place.drain.begin()
        place.receive(Self.request("/door") + Self.request("/other"))
        place.goOn()
        let given = try place.sent()
        #expect(given.count == 1 && given.first?.contains("\r\nConnection: close\r\n") == false)
        #expect(place.heard == [.bytes(3), .head("/other"), .end] && place.channel.isActive)
        try place.answer()
        #expect(try place.sent().first?.contains("\r\nConnection: close\r\n") == true)
        #expect(!place.channel.isActive)
    }

    @Test("What has waited when the server begins to stop is answered, and the last answer says that it is that")
    func stopsAmidTurns() throws {
        let place = try Place(FullEnd(takes: false))
        place.receive(Self.request("/door") + Self.request("/door") + Self.request("/door"))
        #expect(try place.given().count == 1)
        place.drain.begin()
        for isLast in [false, true] {
            place.goOn()
            #expect(try place.sent().map { $0.contains("\r\nConnection: close\r\n") } == [isLast])
        }
        #expect(place.heard == [] && !place.channel.isActive)
    }

    @Test("Who takes what it is sent is answered all that it asks in one piece; who does not, one at a time, and is not read meanwhile")
    func muchInOnePiece() throws {
        let three = Self.request("/door") + Self.request("/door") + Self.request("/door")
        let taking = try Place(FullEnd(takes: true))
        taking.receive(three)
        #expect(try taking.given() == ["{}", "{}", "{}"] && taking.heard == [])
        let end = FullEnd(takes: false)
        let full = try Place(end)
        full.receive(three + Self.request("/other"))
        #expect(try full.given() == ["{}"])
        let reads = end.reads
        full.channel.read()
        for _ in 0..<2 {
            full.goOn()
            #expect(try full.given() == ["{}"])
            #expect(end.reads == reads && full.heard == [])
        }
        full.goOn()
        #expect(end.reads == reads + 1 && full.heard == [.bytes(3), .head("/other"), .end])
    }

    @Test("Who takes all that it is sent is answered 64 KiB, and whatever more an answer has, before others have their turn")
    func turns() throws {
        let place = try Place(FullEnd(takes: true), content: [UInt8](repeating: 55, count: 40_000))
        place.receive((0..<5).flatMap { _ in Self.request("/door") })
        #expect(try place.sent().count == 2)
        for count in [2, 1] {
            place.channel.embeddedEventLoop.advanceTime(by: TurnQueue.pause)
            #expect(try place.sent().count == count)
        }
        // Each piece that comes has a turn of its own.
        place.receive(Self.request("/door") + Self.request("/door"))
        #expect(try place.sent().count == 2 && place.heard == [])
        place.channel.embeddedEventLoop.run()
    }

    @Test("What comes behind a turn waits in its order, whatever it is: errors, and that the other end has closed its half")
    func waits() throws {
        let place = try Place()
        place.channel.isWritable = false
        place.receive(Self.request("/door") + Self.request("/door"))
        place.receive(Self.request("/door"), isWhole: false)
        place.channel.pipeline.fireErrorCaught(HTTPParserError.invalidMethod)
        place.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try place.given() == [] && place.heard == [])
        place.goOn()
        #expect(try place.given() == ["{}", "{}", "{}"] && place.heard == [.bytes(0), .error, .closed])
    }

    @Test("More than may wait is the routes', in its order, and so is all that comes then")
    func muchThatWaits() throws {
        let place = try Place()
        place.channel.isWritable = false
        place.receive((0..<1_100).flatMap { _ in Self.request("/door") })
        let all: [Place.Heard] = (0..<1_100).flatMap { _ in [Place.Heard.head("/door"), .end] }
        #expect(place.heard == [.bytes(3)] + all)
        place.goOn()
        #expect(try place.given() == [])
    }

    @Test("Behind a request for another protocol, which nobody takes up, early answers go on")
    func otherProtocol() throws {
        let place = try Place()
        place.receive(Self.request("/door", ["Connection": "upgrade", "Upgrade": "h2c"]))
        try place.answer()
        place.receive(Self.request("/door"))
        #expect(try place.given() == ["{}"])
    }

    @Test("Who closes its half is told of to those behind once: behind early answers when these are sent, otherwise at once")
    func closedHalf() throws {
        func closed(after parts: [HTTPServerRequestPart]) throws -> [Place.Heard] {
            let place = try Place()
            if !parts.isEmpty { place.receive(parts) }
            place.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            place.channel.embeddedEventLoop.advanceTime(by: TurnQueue.pause)
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
