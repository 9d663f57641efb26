import AuthServer
import HTTPService
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import OstiaryTesting
import Synchronization
import Testing

/// Real sockets: what an operator reads depends on what libraries below make of them.
@Suite("Why the second-factor server does not answer")
struct HTTPSecondFactorTransportTests {
    /// What a call to a port of this machine, or to a name, ends with.
    private static func trouble(at origin: String, patience: Duration = .seconds(300)) async throws -> SecondFactorTrouble? {
        let transport = HTTPSecondFactorTransport(url: try PublicURL(parsing: origin), patience: patience)
        #expect(transport.address == origin)
        do {
            _ = try await transport.identity()
            return nil
        } catch { return error as? SecondFactorTrouble }
    }

    /// A listener that accepts, says `greeting` and nothing more.
    private static func listening(saying greeting: String = "", _ body: (Int) async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Greeter(greeting: greeting)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await body(try #require(server.localAddress?.port))
        try await server.close()
    }

    @Test("A closed port is told as refused")
    func refused() async throws {
        // One that nobody else is given meanwhile.
        let closed = try LoopbackSocket(listens: false)
        #expect(try await Self.trouble(at: "http://127.0.0.1:\(closed.port)") == .refused)
    }

    @Test("A name that nobody knows is told as that, or as no answer in time where no name service answers")
    func unknownName() async throws {
        let found = try await Self.trouble(at: "https://no-such-host.invalid", patience: .seconds(3))
        #expect(found == .nameUnknown || found == .timeout)
    }

    @Test("A server that accepts and says nothing is a timeout")
    func silent() async throws {
        try await Self.listening { (port: Int) async throws in
            let found = try await Self.trouble(at: "http://127.0.0.1:\(port)", patience: .milliseconds(300))
            #expect(found == .timeout)
        }
    }

    /// A listener that answers bit by bit, one every 20 ms for ten seconds.
    private static func trickling(_ trickle: Trickle, _ body: (PublicURL) async throws -> Void) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Trickler(trickle: trickle)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        try await body(try PublicURL(parsing: "http://127.0.0.1:\(port)"))
        try await server.close()
    }

    /// While only the head had a limit, and each byte of a body set another back, all but the first of these lasted their ten seconds and ended as
    /// an answer, as distrust or as a broken connection.
    @Test("An answer that trickles is a timeout when its time is over, whichever part of it does", arguments: Trickle.all)
    func trickled(trickle: Trickle) async throws {
        try await Self.trickling(trickle) { (url: PublicURL) async throws in
            let transport = HTTPSecondFactorTransport(url: url, patience: .milliseconds(200))
            await #expect(throws: SecondFactorTrouble.timeout) { _ = try await transport.call([1, 2, 3]) }
        }
    }

    @Test("An answer whose status is none is told as one that no second-factor server gives", arguments: ["000", "099"])
    func noStatus(status: String) async throws {
        let server = try RawServer { $0.send("HTTP/1.1 \(status) x\r\ncontent-length: 5\r\n\r\nhello") }
        #expect(try await Self.trouble(at: "http://127.0.0.1:\(server.port)") == Int(status).map(SecondFactorTrouble.status))
    }

    @Test("One that does not speak TLS where TLS is wanted is told as that")
    func plain() async throws {
        try await Self.listening(saying: "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n") { (port: Int) async throws in
            let found = try await Self.trouble(at: "https://127.0.0.1:\(port)")
            guard case .tls? = found else {
                Issue.record("not told as TLS: \(String(describing: found))")
                return
            }
        }
    }

    @Test("403 is distrust, another status is named, an endless answer is no second-factor server", arguments: [403, 404, 503, 200])
    func statuses(code: Int) async throws {
        let router = Router()
        router.get("/sf/identity") { _, _ in
            Response(status: .init(code: code), body: ResponseBody(byteBuffer: ByteBuffer(repeating: 7, count: code == 200 ? 70_000 : 3)))
        }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0))).test(.live) { client in
            let found = try await Self.trouble(at: "http://127.0.0.1:\(try #require(client.port))")
            #expect(found == [403: .distrust, 200: .notOne][code] ?? .status(code))
        }
    }

    @Test(
        "A103 A redirect, an upgrade, hints and no more, half a body and one that is a byte too long are no answer, and nothing is followed",
        arguments: [
            ("302 Found\r\nlocation: http://127.0.0.1:1/sf/call\r\ncontent-length: 2", 2),
            ("308 Permanent Redirect\r\nlocation: /sf/call\r\ncontent-length: 2", 2),
            ("101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket", 2), ("101 Switching Protocols\r\ncontent-length: 2", 2),
            ("103 Early Hints\r\ncontent-length: 2", 2), ("204 No Content\r\ncontent-length: 2", 2), ("200 OK\r\ncontent-length: 9", 2),
            ("200 OK\r\ncontent-length: 65537", 65_537), ("200 OK\r\nconnection: close", 65_537),
        ])
    func noAnswer(head: String, count: Int) async throws {
        let hostile = try RawServer { $0.send("HTTP/1.1 \(head)\r\n\r\n\(String(repeating: "h", count: count))") }
        let transport = HTTPSecondFactorTransport(url: try PublicURL(parsing: "http://127.0.0.1:\(hostile.port)"), patience: .seconds(60))
        await #expect(throws: SecondFactorTrouble.self) { _ = try await transport.call([1, 2, 3]) }
        #expect(hostile.requests.count == 1)
    }

    @Test("A103 An answer of 65,536 bytes is one")
    func longest() async throws {
        let longest = String(repeating: "h", count: 65_536)
        let server = try RawServer { $0.send("HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n\r\n\(longest)") }
        let transport = HTTPSecondFactorTransport(url: try PublicURL(parsing: "http://127.0.0.1:\(server.port)"), patience: .seconds(60))
        #expect(try await transport.call([1, 2, 3]).count == 65_536)
    }

    @Test("A103 What is said unasked behind an answer is the answer to no later call, and ends the connection only")
    func unasked() async throws {
        // In one piece, which is read as one.
        let hostile = try RawServer { connection in
            connection.send("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nunasked")
            connection.waitForEnd()
        }
        let transport = HTTPSecondFactorTransport(url: try PublicURL(parsing: "http://127.0.0.1:\(hostile.port)"), patience: .seconds(60))
        var answered = 0
        for _ in 0..<6 {
            do {
                #expect(try await transport.call([1, 2, 3]) == Array("hi".utf8))
                answered += 1
            } catch is SecondFactorTrouble {
                // The connection of the call before had not ended yet when this one was given it.
            }
        }
        #expect(answered > 0)
        #expect(hostile.requests.count >= answered)
    }

    @Test("A second-factor server whose disk is full is told as that by a call, as it is by a probe")
    func fullDisk() async throws {
        let router = Router()
        router.get("/sf/identity") { _, _ in ErrorResponse.storageUnavailable.response(requestID: "x") }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0))).test(.live) { client in
            let found = try await Self.trouble(at: "http://127.0.0.1:\(try #require(client.port))")
            #expect(found == .storage)
        }
    }
}

/// Says one thing to whoever connects.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let greeting: String

    init(greeting: String) { self.greeting = greeting }

    func channelActive(context: ChannelHandlerContext) {
        if !greeting.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: greeting)), promise: nil) }
    }
}

/// What comes at once, and what comes again and again.
struct Trickle: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let opening: String
    let drop: String

    static let all = [
        Trickle(testDescription: "head", opening: "HTTP/1.1 200 OK\r\nx: ", drop: "A"),
        Trickle(testDescription: "body", opening: "HTTP/1.1 200 OK\r\ncontent-length: \(drops)\r\n\r\n", drop: "A"),
        Trickle(testDescription: "chunks", opening: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", drop: "1\r\nA\r\n"),
        Trickle(testDescription: "refusal", opening: "HTTP/1.1 403 Forbidden\r\ncontent-length: \(drops)\r\n\r\n", drop: "A"),
    ]
    static let drops = 500
}

/// Answers whoever has asked something.
private final class Trickler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let trickle: Trickle
    private var hasBegun = false

    init(trickle: Trickle) { self.trickle = trickle }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasBegun else { return }
        hasBegun = true
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: trickle.opening)), promise: nil)
        let (trickle, channel, left) = (trickle, context.channel, Counter(Trickle.drops))
        channel.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(20), delay: .milliseconds(20)) { task in
            guard channel.isActive, left.takesOne() else {
                task.cancel()
                channel.close(promise: nil)
                return
            }
            channel.writeAndFlush(ByteBuffer(string: trickle.drop), promise: nil)
        }
    }
}

private final class Counter: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func takesOne() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
