import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import OstiaryTesting
import Testing

@testable import HTTPService

@Suite("Requests that wait for their answers", .timeLimit(.minutes(10)))
struct WaitingRequestsTests {
    /// A connection that counts what is handed on of it, and what was logged.
    private final class Place {
        let channel: EmbeddedChannel
        let log: LogRecorder

        init(limit: Int = 4) throws {
            let log = LogRecorder()
            self.log = log
            channel = EmbeddedChannel(handler: WaitingRequests(limit: limit, told: LimitLog(logger: log.logger(), listener: "public")))
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 7)).wait()
        }

        func ask(_ count: Int, fields: Int = 0, body: [String] = []) {
            var head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/login")
            for _ in 0..<fields { head.headerFields.append(HTTPField(name: .accept, value: "text/plain")) }
            for _ in 0..<count {
                receive(.head(head))
                for piece in body { receive(.body(ByteBuffer(string: piece))) }
                receive(.end(nil))
            }
            channel.pipeline.fireChannelReadComplete()
            channel.embeddedEventLoop.run()
        }

        func answer() throws {
            try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
            try channel.writeOutbound(HTTPResponsePart.end(nil))
        }

        /// What was handed on since the last look.
        func parts() throws -> [HTTPRequestPart] {
            var parts: [HTTPRequestPart] = []
            while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
            return parts
        }

        private func receive(_ part: HTTPRequestPart) { channel.pipeline.fireChannelRead(part) }
    }

    @Test("A connection on which more requests wait than may is closed, nothing that it sent beyond is handed on, and the log says it once")
    func tooMany() throws {
        let place = try Place()
        place.ask(800)
        #expect(!place.channel.isActive)
        #expect(try place.parts().count == 8)
        #expect(place.log.lines.map(\.message).filter { $0.hasPrefix("limit met: ") }.count == 1)
    }

    @Test("As many requests as may wait are handed on, and each that is answered makes room for another")
    func answered() throws {
        let place = try Place()
        place.ask(4)
        for _ in 0..<100 {
            try place.answer()
            place.ask(1)
        }
        #expect(place.channel.isActive)
        #expect(try place.parts().count == 208)
        #expect(place.log.lines.isEmpty)
        place.ask(1)
        #expect(!place.channel.isActive)
    }

    @Test("Requests with long heads wait in smaller number, and one alone may be as long as any")
    func long() throws {
        let few = try Place(limit: 16)
        few.ask(4, fields: 100)
        #expect(few.channel.isActive)
        few.ask(1, fields: 100)
        #expect(!few.channel.isActive)
        #expect(try few.parts().count == 8)
        let one = try Place(limit: 16)
        one.ask(1, fields: 1_000)
        #expect(one.channel.isActive)
        #expect(try one.parts().count == 2)
    }

    @Test("Pieces of a body that were read together are handed on together, whole and in order")
    func pieces() throws {
        let place = try Place()
        place.ask(2, body: (0..<1000).map { "\($0)," })
        let parts = try place.parts()
        #expect(parts.count == 6)
        let whole = (0..<1000).map { "\($0)," }.joined()
        #expect(parts.filter { $0 == .body(ByteBuffer(string: whole)) }.count == 2)
        place.ask(1, body: [String](repeating: "x", count: 9_000))
        #expect(try place.parts().count == 5)
    }

    @Test("Sixteen requests that come at once are answered one after the other; a connection that sends hundreds is closed")
    func listener() async throws {
        let log = LogRecorder()
        let router = Router(context: ServiceRequestContext.self)
        router.get("/who") { _, _ in "somebody" }
        let question = "GET /who HTTP/1.1\r\nHost: x\r\n"
        let few = String(repeating: question + "\r\n", count: 15) + question + "Connection: close\r\n\r\n"
        let many = String(repeating: question + "\r\n", count: 800)
        try await RunningServer.with(router, logger: log.logger(level: .info)) { server in
            let answer = try await RawConnection.exchange(port: server.port, [Array(few.utf8)])
            #expect(answer?.components(separatedBy: "HTTP/1.1 200 ").count == 17)
            #expect(log.lines.filter { $0.message.hasPrefix("limit met") }.isEmpty)
            let busy = try await HeldConnection(port: server.port, sending: Array(many.utf8))
            #expect(try await busy.end().components(separatedBy: "HTTP/1.1 200 ").count <= 17)
            #expect(log.lines.filter { $0.message.hasPrefix("limit met") }.count == 1)
        }
    }
}
