import NIOCore
import NIOPosix
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryPhone

/// What the faults of a run rely on: a line that did nothing when it is told to would let every history pass.
@Suite("A line that a test cuts", .timeLimit(.minutes(10)))
struct CutLineTests {
    /// A line, and who is at its end.
    private struct Scene {
        let echo: Echo
        let port: ReservedPort
        let line: CutLine

        init() async throws {
            port = try ReservedPort()
            echo = try await Echo()
            line = try await CutLine(at: .port(port.number), to: [echo.place])
        }

        var metNobody: Bool { line.met(.cut) == 0 && line.met(.silent) == 0 }

        func speaker() async throws -> Speaker { try await Speaker(at: port.number) }

        /// What could get through has had the time of a hundred questions, and their answers, by a line like it.
        func letTimeGo() async throws {
            let other = try await Scene()
            let speaker = try await other.speaker()
            for _ in 0..<100 { #expect(await speaker.ask("t") == "t") }
            #expect(other.line.led == 1 && other.metNobody)
        }
    }

    @Test("What is said goes through as it is, and so does the end of who is there")
    func passing() async throws {
        let scene = try await Scene()
        let speaker = try await scene.speaker()
        #expect(await speaker.ask("a") == "a")
        scene.echo.tell("x")
        #expect(await speaker.hear(1) == "x")
        await scene.echo.hangUp()
        #expect(await speaker.hear(1) == "")
        #expect(scene.line.led == 1 && scene.metNobody)
    }

    @Test("Cut, it breaks off what is open, and what comes anew; afterwards it leads there again")
    func cut() async throws {
        let scene = try await Scene()
        let first = try await scene.speaker()
        #expect(await first.ask("a") == "a")
        await scene.line.become(.cut)
        let line = scene.line
        let brokenOff = line.met(.cut)
        #expect((1...2).contains(brokenOff))
        // Each would have an answer where nothing was cut.
        #expect(await first.ask("b") == "")
        #expect(try await scene.speaker().ask("c") == "")
        // It is written down when the end is closed, which its other end may hear of before.
        try await eventually("who came meanwhile is counted") { line.met(.cut) == brokenOff + 1 }
        await line.become(.passing)
        #expect(try await scene.speaker().ask("d") == "d")
        #expect(scene.echo.heard == ["a", "d"])
        #expect(line.led == 3 && line.met(.cut) == brokenOff + 1 && line.met(.silent) == 0)
    }

    @Test("Silent, it breaks nothing off and lets nothing through, of what is open and of what comes anew; all of it arrives afterwards")
    func silent() async throws {
        let scene = try await Scene()
        let first = try await scene.speaker()
        #expect(await first.ask("a") == "a")
        await scene.line.become(.silent)
        scene.echo.tell("x")
        first.say("b")
        let second = try await scene.speaker()
        second.say("c")
        try await scene.letTimeGo()
        #expect(scene.echo.heard == ["a"] && first.heard == ["a"])
        await scene.line.become(.passing)
        #expect(await first.hear(2) == "xb")
        #expect(await second.hear(1) == "c")
        #expect(scene.echo.heard.sorted() == ["a", "b", "c"])
        #expect(scene.line.met(.silent) >= 2 && scene.line.met(.cut) == 0)
    }

    @Test("Nobody is met by a line on which nobody is: what was there and has gone counts for nothing")
    func nobody() async throws {
        let scene = try await Scene()
        for condition in [CutLine.Condition.cut, .silent, .passing] { await scene.line.become(condition) }
        do {
            let gone = try await scene.speaker()
            #expect(await gone.ask("a") == "a")
            await scene.echo.hangUp()
            #expect(await gone.hear(1) == "")
        }
        let line = scene.line
        // Both ends are closed when nobody has them any more.
        try await eventually("nobody is there") { line.open == 0 }
        for condition in [CutLine.Condition.cut, .silent] { await line.become(condition) }
        #expect(scene.metNobody && line.led == 1)
    }

    @Test("What was said in a silence that ends in a cut arrives nowhere")
    func silentThenCut() async throws {
        let scene = try await Scene()
        let first = try await scene.speaker()
        #expect(await first.ask("a") == "a")
        await scene.line.become(.silent)
        first.say("b")
        scene.echo.tell("x")
        await scene.line.become(.cut)
        #expect(await first.hear(1) == "")
        await scene.line.become(.passing)
        #expect(try await scene.speaker().ask("c") == "c")
        #expect(scene.echo.heard == ["a", "c"])
    }

    @Test("Towards several places its connections take turns, and go to the next one where nobody is")
    func turns() async throws {
        let (nobody, port) = (try ReservedPort(), try ReservedPort())
        let one = try await Echo()
        let other = try await Echo()
        let line = try await CutLine(at: .port(port.number), to: [one.place, .port(nobody.number), other.place])
        for _ in 0..<6 { #expect(try await Speaker(at: port.number).ask("a") == "a") }
        #expect(one.heard.count == 2 && other.heard.count == 4)
        #expect(line.led == 6)
    }

    @Test("A way to a database with two servers is cut as one, and leads to the one that is there")
    func database() async throws {
        let servers = [try TemporaryFolder(), try TemporaryFolder()]
        let echo = try await Echo()
        // The first one is gone.
        let server = try await CutLine(at: .path(NodeWay.socket(in: servers[1].path)), to: [echo.place])
        let way = try await DatabaseWay(to: servers.map(\.path))
        let places = way.folders.map { CutLine.Place.path(NodeWay.socket(in: $0)) }
        #expect(try await Speaker(at: places[0]).ask("a") == "")
        let speaker = try await Speaker(at: places[1])
        #expect(await speaker.ask("b") == "b")
        #expect(way.met(.cut) == 0)
        await way.become(.cut)
        #expect(way.met(.cut) > 0)
        #expect(await speaker.ask("c") == "")
        for place in places { #expect(try await Speaker(at: place).ask("d") == "") }
        await way.become(.passing)
        #expect(try await Speaker(at: places[1]).ask("e") == "e")
        #expect(echo.heard == ["b", "e"] && server.led == 2 && way.led == 5)
    }
}

/// What somebody has heard, in its order.
private final class Words: Sendable {
    private let kept = Mutex<[String]>([])
    private let news: AsyncStream<String>
    private let report: AsyncStream<String>.Continuation

    init() { (news, report) = AsyncStream.makeStream() }

    var all: [String] { kept.withLock { $0 } }

    func add(_ word: String) {
        kept.withLock { $0.append(word) }
        report.yield(word)
    }

    func end() { report.finish() }

    /// Waits for the next one; nil where there is none any more.
    func next() async -> String? {
        for await word in news { return word }
        return nil
    }
}

/// At one end of a line.
private final class Speaker: Sendable {
    private let channel: any Channel
    private let words: Words

    convenience init(at port: Int) async throws { try await self.init(at: .port(port)) }

    init(at place: CutLine.Place) async throws {
        let words = Words()
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Listening(words)) }
            }
        switch place {
        case .port(let number): channel = try await bootstrap.connect(host: "127.0.0.1", port: number).get()
        case .path(let path): channel = try await bootstrap.connect(unixDomainSocketPath: path).get()
        }
        self.words = words
    }

    deinit { channel.close(promise: nil) }

    var heard: [String] { words.all }

    func say(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

    /// Waits for so many characters; fewer when the line breaks off.
    func hear(_ count: Int) async -> String {
        var text = ""
        while text.count < count, let word = await words.next() { text += word }
        return text
    }

    func ask(_ text: String) async -> String {
        say(text)
        return await hear(text.count)
    }

    private final class Listening: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let words: Words

        init(_ words: Words) { self.words = words }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { words.add(String(buffer: unwrapInboundIn(data))) }
        func channelInactive(context: ChannelHandlerContext) { words.end() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// At the other end: says again whatever it hears.
private final class Echo: Sendable {
    let place: CutLine.Place
    private let listener: any Channel
    private let words: Words
    private let callers: Callers

    init() async throws {
        let (words, callers) = (Words(), Callers())
        let bound = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                callers.add(channel)
                return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering(words)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        place = .port(try #require(bound.localAddress?.port))
        (listener, self.words, self.callers) = (bound, words, callers)
    }

    deinit { listener.close(promise: nil) }

    var heard: [String] { words.all }

    /// Says something to all who are there.
    func tell(_ text: String) {
        for channel in callers.all { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    func hangUp() async {
        for channel in callers.all { try? await channel.close() }
    }

    private final class Callers: Sendable {
        private let channels = Mutex<[any Channel]>([])

        var all: [any Channel] { channels.withLock { $0 } }
        func add(_ channel: any Channel) { channels.withLock { $0.append(channel) } }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let words: Words

        init(_ words: Words) { self.words = words }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let said = unwrapInboundIn(data)
            words.add(String(buffer: said))
            context.channel.writeAndFlush(said, promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
