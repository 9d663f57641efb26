import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPService

@Suite("Connections that are silent")
struct SilenceLimitTests {
    private struct Place {
        let channel: EmbeddedChannel
        let loop: EmbeddedEventLoop
        let silence = SilenceLimit(limit: .seconds(75))

        init() throws {
            loop = EmbeddedEventLoop()
            channel = EmbeddedChannel(handlers: [HalfOpen(), silence], loop: loop)
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
        }

        func ask(isWhole: Bool = true) {
            silence.came(.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
            if isWhole { silence.came(.end(nil)) }
        }

        func answer() throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }

        /// Whether it is still open after so many seconds more.
        func isOpen(after seconds: Int64) -> Bool {
            loop.advanceTime(by: .seconds(seconds))
            return channel.isActive
        }
    }

    /// A channel of tests knows no half: that of the output closes nothing.
    private final class HalfOpen: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard case .output = mode else { return context.close(mode: mode, promise: promise) }
            promise?.succeed()
        }
    }

    @Test("One that says nothing is closed when its time is over and not before")
    func silent() throws {
        let place = try Place()
        #expect(place.isOpen(after: 74))
        #expect(!place.isOpen(after: 1))
    }

    @Test("Each request and each answer begins the time anew, to the second")
    func busy() throws {
        let place = try Place()
        for _ in 0..<10 {
            #expect(place.isOpen(after: 50))
            place.ask()
            try place.answer()
        }
        #expect(place.isOpen(after: 74))
        #expect(!place.isOpen(after: 1))
    }

    @Test("An answer may take as long as it likes; the time begins with it")
    func slowAnswer() throws {
        let place = try Place()
        #expect(place.isOpen(after: 30))
        place.ask()
        #expect(place.isOpen(after: 400))
        try place.answer()
        #expect(place.isOpen(after: 74))
        #expect(!place.isOpen(after: 1))
    }

    @Test("A request that was answered early begins the time anew, too, and is not waited for")
    func answeredEarly() throws {
        let place = try Place()
        for _ in 0..<3 {
            #expect(place.isOpen(after: 50))
            place.ask()
            place.silence.answered()
        }
        #expect(place.isOpen(after: 74))
        #expect(!place.isOpen(after: 1))
    }

    @Test("Half a request is silence when nothing more comes, also behind one that is not answered")
    func half() throws {
        let place = try Place()
        place.ask()
        place.ask(isWhole: false)
        #expect(place.isOpen(after: 74))
        #expect(!place.isOpen(after: 1))
    }

    @Test("Behind the last answer nobody waits for another: what was or is asked behind its request keeps no connection open")
    func last() throws {
        let place = try Place()
        place.ask()
        place.ask()
        try place.answer()
        place.channel.close(mode: .output, promise: nil)
        #expect(place.isOpen(after: 50))
        place.ask(isWhole: false)
        #expect(place.isOpen(after: 24))
        #expect(!place.isOpen(after: 1))
    }

    @Test("One that is gone is looked for no more")
    func gone() throws {
        let place = try Place()
        try place.channel.close().wait()
        #expect(!place.isOpen(after: 200))
    }
}
