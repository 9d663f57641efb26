import NIOCore
import NIOEmbedded
import NIOHTTP1
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("Requests that ask for another protocol, or are the last", .timeLimit(.minutes(10)))
struct OtherProtocolTests {
    private static let plain = EarlyDoor.line("GET /other HTTP/1.1")
    private static let end = EarlyDoor.line("GET /other HTTP/1.1", "Connection: close")
    private static let h2c = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"]

    /// What each answer says to the text of some requests; nil where the connection stays open.
    private static func statuses(
        _ server: RunningServer, _ pieces: [String], pause: Duration = .zero, endsOutput: Bool = false
    ) async throws -> [Int?]? {
        let answer = try await RawConnection.exchange(port: server.port, pieces.map { Array($0.utf8) }, pause: pause, endsOutput: endsOutput)
        return answer?.split(separator: "HTTP/1.1 ").map { Int($0.prefix(3)) }
    }

    /// With a limit of silence that no test waits for, with an early answer and without.
    private static func withBoth(_ body: @Sendable @escaping (RunningServer) async throws -> Void) async throws {
        let limits = ServiceLimits(idle: .minutes(60))
        try await RunningServer.with(EarlyDoor.router(), limits: limits, body: body)
        try await RunningServer.with(EarlyDoor.router(), limits: limits, early: EarlyDoor.Given().early, body: body)
    }

    @Test("Who asks for another protocol is answered as if it did not, and so is all that it asks on the same connection")
    func goesOn() async throws {
        let asks = [
            EarlyDoor.line(EarlyDoor.get, Self.h2c[0], Self.h2c[1], Self.h2c[2]),
            EarlyDoor.line(EarlyDoor.get, "upgrade: websocket", "connection: keep-alive, UPGRADE"),
            EarlyDoor.line(EarlyDoor.get, "Connection: keep-alive", "Connection: x , upgrade ,y", "Upgrade: a, b"),
            EarlyDoor.line(EarlyDoor.get, "Proxy-Connection: upgrade", "Upgrade: a"),
            "GET /door HTTP/1.0\r\nX-Key: right\r\nConnection: upgrade, keep-alive\r\nUpgrade: a\r\n\r\n",
        ]
        try await Self.withBoth { server async throws in
            for ask in asks {
                #expect(try await Self.statuses(server, [ask + Self.end]) == [200, 200], "\(ask)")
                #expect(try await Self.statuses(server, [ask, Self.end], pause: .milliseconds(5)) == [200, 200], "\(ask)")
                let five = [EarlyDoor.door, ask, ask, EarlyDoor.door, Self.end].joined()
                #expect(try await Self.statuses(server, [five]) == [200, 200, 200, 200, 200], "\(ask)")
                #expect(try await Self.statuses(server, (ask + Self.end).unicodeScalars.map { String($0) }) == [200, 200], "\(ask)")
            }
        }
    }

    @Test("Its body is one: what stands in it is no request, and what stands behind it is")
    func body() async throws {
        let head = ["POST /nowhere HTTP/1.1", "Host: x", Self.h2c[0], Self.h2c[1]].map { $0 + "\r\n" }.joined()
        let asks = [
            head + "Content-Length: \(Self.end.utf8.count)\r\n\r\n" + Self.end,
            head + "Transfer-Encoding: chunked\r\n\r\n\(String(Self.end.utf8.count, radix: 16))\r\n\(Self.end)\r\n0\r\nA: b\r\n\r\n",
        ]
        try await Self.withBoth { server async throws in
            for ask in asks {
                #expect(try await Self.statuses(server, [ask + Self.end]) == [404, 200], "\(ask)")
                #expect(try await Self.statuses(server, (ask + Self.end).unicodeScalars.map { String($0) }) == [404, 200], "\(ask)")
            }
        }
    }

    @Test("Whatever comes behind it has the answers that it has behind any request, also where the client closes its half")
    func behind() async throws {
        let ask = EarlyDoor.line("GET /other HTTP/1.1", Self.h2c[0], Self.h2c[1])
        let tails = [
            "", Self.plain, Self.plain + ask, "\r\n" + Self.plain, "GET /do", "\u{1}\u{2}\u{3}\r\n\r\n", EarlyDoor.line("BREW / HTTP/1.1"),
            "GET /other HTTP/1.1\r\n\r\n",
        ]
        try await Self.withBoth { server async throws in
            for tail in tails {
                let usual = try await Self.statuses(server, [Self.plain + tail], endsOutput: true)
                #expect(usual?.isEmpty == false)
                #expect(try await Self.statuses(server, [ask + tail], endsOutput: true) == usual, "\(tail.prefix(40))")
            }
        }
    }

    @Test("The last request is one that says so in a list, or as HTTP/1.0 does not ask to stay, or makes a tunnel: nothing behind it is answered")
    func last() async throws {
        let words = [
            "keep-alive, close", "close, keep-alive", "Close", "x,CLOSE ,y", ",close", "close\t", "keep-alive\r\nConnection: close",
            "close, upgrade\r\nUpgrade: a",
        ]
        var asks = words.map { EarlyDoor.line("GET /other HTTP/1.1", "Connection: \($0)") }
        asks += ["GET /other HTTP/1.0\r\n\r\n", "GET /other HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n"]
        let tunnel = EarlyDoor.line("CONNECT x:1 HTTP/1.1", "Content-Length: 3")
        try await Self.withBoth { [asks] server async throws in
            for ask in asks {
                #expect(try await Self.statuses(server, [ask + Self.plain]) == [200], "\(ask)")
                #expect(try await Self.statuses(server, [ask, "rubbish\r\n\r\n"], pause: .milliseconds(5)) == [200], "\(ask)")
            }
            #expect(try await Self.statuses(server, [tunnel + Self.plain])?.count == 1)
            #expect(try await Self.statuses(server, [tunnel, Self.plain], pause: .milliseconds(5))?.count == 1)
        }
    }

    @Test("The answer to the last request says that the connection ends, and no other does")
    func told() async throws {
        let asks = [
            Self.end, EarlyDoor.line(EarlyDoor.get, "Connection: keep-alive, close"), EarlyDoor.line("GET /nowhere HTTP/1.1", "Connection: close"),
            "GET /door HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /other HTTP/1.0\r\n\r\n", EarlyDoor.line("CONNECT x:1 HTTP/1.1"),
        ]
        let before = [EarlyDoor.door, Self.plain, "GET /other HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"].joined()
        try await Self.withBoth { server async throws in
            for ask in asks {
                let answer = try await RawConnection.exchange(port: server.port, [Array((before + ask).utf8)])
                let told = answer?.split(separator: "HTTP/1.1 ").map { $0.contains("\r\nConnection: close\r\n") }
                #expect(told == [false, false, false, true], "\(ask)")
            }
        }
    }

    @Test("Words that only look like it end nothing, and HTTP/1.0 stays where it asks to")
    func stays() async throws {
        let words = ["closed", "keep-alive, not-close", "x close", "upgrades", ""]
        let asks = words.map { EarlyDoor.line("GET /other HTTP/1.1", "Connection: \($0)", "Upgrade: a") }
        let old = "GET /other HTTP/1.0\r\nConnection: x, Keep-Alive\r\n\r\n"
        try await Self.withBoth { server async throws in
            for ask in asks + [old] { #expect(try await Self.statuses(server, [ask + Self.end]) == [200, 200], "\(ask)") }
        }
    }

    @Test("Of what comes behind such a request nothing is kept that is not parsed, be it ever so much")
    func memory() {
        let tunnel = EarlyDoor.line("CONNECT x:1 HTTP/1.1")
        for ask in [EarlyDoor.line(EarlyDoor.get, Self.h2c[0], Self.h2c[1]), tunnel, Self.end, "GET / HTTP/1.0\r\n\r\n"] {
            for more in [Self.plain, "x"] {
                let place = Place()
                place.come(ask)
                for _ in 0..<32 { place.come(String(repeating: more, count: 65_536 / more.utf8.count)) }
                #expect(place.kept <= 65_536, "\(ask)")
                place.close()
            }
        }
    }

    @Test("Whatever is said of the connection, the parser goes on where the rules say that a request comes, and nothing comes where they say so")
    func agreement() {
        var random = SplitMix(seed: 57)
        let words = ["upgrade", "Upgrade", "close", "keep-alive", "upgrad", "upgradex", "up", "c", "k", "x", "", "upgrade x", "\u{e9}"]
        let gaps = [",", ", ", " , ", "\t,", ",\t", ",,", " ", ";"]
        func some(of texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
        for _ in 0..<3000 {
            var lines = [some(of: ["GET / HTTP/1.1", "GET / HTTP/1.0", "POST / HTTP/1.1", "CONNECT x:1 HTTP/1.1"]), "Host: x"]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: lines.append("Upgrade:" + some(of: ["", " ", " a", "a,b", "\ta"]))
                case 2: lines.append(some(of: ["Upgrades", "Connections", "Proxy-Connection"]) + ": upgrade")
                default:
                    let list = [some(of: words), some(of: gaps), some(of: words), some(of: [""] + gaps)]
                    lines.append("Connection: \(list.joined())")
                }
            }
            let head = lines.map { $0 + "\r\n" }.joined() + "\r\n"
            let place = Place()
            // In the midst of a word: what the parser has taken of it must not be lost.
            place.come(head + "GE")
            place.come("T /next HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(place.heads.count == (place.isLast ? 1 : 2) && place.errors == 0, "\(head)")
            place.close()
        }
    }

    /// A connection of which those behind the rules hear.
    private final class Place {
        private let channel = EmbeddedChannel()
        private let watched: Watched
        private let behind = Behind()
        var kept: Int { watched.kept }
        var heads: [HTTPRequestHead] { behind.heads }
        var errors: Int { behind.errors }
        var isLast: Bool { heads.first?.headers["connection"] == ["close"] }

        init() {
            let rules = ConnectionRules(Farewell(drain: DrainSignal(), patience: .hours(1)))
            watched = Watched(RequestParser(limits: .standard, rules: rules))
            let handlers: [any ChannelHandler] = [ByteToMessageHandler(watched), rules, behind]
            try? channel.pipeline.syncOperations.addHandlers(handlers)
        }

        func come(_ text: String) { channel.pipeline.fireChannelRead(ByteBuffer(string: text)) }

        func close() { _ = try? channel.finish() }
    }

    /// Sees how much is left of what came when all was parsed that could be.
    private final class Watched: ByteToMessageDecoder {
        typealias InboundOut = HTTPServerRequestPart
        private let parser: RequestParser
        private(set) var kept = 0

        init(_ parser: RequestParser) { self.parser = parser }

        func decoderAdded(context: ChannelHandlerContext) { parser.decoderAdded(context: context) }
        func decoderRemoved(context: ChannelHandlerContext) { parser.decoderRemoved(context: context) }

        func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
            defer { kept = max(kept, buffer.readableBytes) }
            return try parser.decode(context: context, buffer: &buffer)
        }

        func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws -> DecodingState {
            try parser.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
        }
    }

    private final class Behind: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        private(set) var heads: [HTTPRequestHead] = []
        private(set) var errors = 0

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data) { heads.append(head) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { errors += 1 }
    }
}
