import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HTTPService

@Suite("What a full listener says")
struct ConnectionGateTests {
    /// A listener with room for eight on a loop whose clock a test turns, and what it logged.
    private final class Place {
        let loop = EmbeddedEventLoop()
        let server: EmbeddedChannel
        private let said: Said

        private final class Said: Sendable { let lines = Mutex<[String]>([]) }

        init() {
            let said = Said()
            let logger = Logger(label: "test") { _ in Listening { event in said.lines.withLock { $0.append("\(event.message)") } } }
            let gate = ConnectionGate(ConnectionLimits(total: 8), told: LimitLog(logger: logger, listener: "private"))
            server = EmbeddedChannel(handler: gate, loop: loop)
            self.said = said
        }

        var lines: [String] { said.lines.withLock { $0 } }

        /// As many as there is room for come in, as they do when the listener asks for the next after each.
        func comeIn(_ count: Int = 8) throws -> [EmbeddedChannel] {
            let connections = (0..<count).map { _ in EmbeddedChannel(loop: loop) }
            for connection in connections {
                server.read()
                try server.writeInbound(connection as any Channel)
            }
            server.read()
            return connections
        }

        func leave(_ connections: [EmbeddedChannel]) {
            for connection in connections { connection.close(promise: nil) }
            loop.run()
        }
    }

    private static let met = "limit met: as many connections as there may be: new ones wait"
    private static let over = "limit is over: as many connections as there may be"

    @Test("That the limit is over is said when nobody waits any more, and not when all go at once and the next who waited come in")
    func over() throws {
        let place = Place()
        var inside = try place.comeIn()
        #expect(place.lines == [Self.met])
        for _ in 0..<20 {
            place.leave(inside)
            #expect(place.lines == [Self.met])
            inside = try place.comeIn()
            place.loop.advanceTime(by: .seconds(5))
            #expect(place.lines == [Self.met])
        }
        place.leave(inside)
        #expect(place.lines == [Self.met])
        place.loop.advanceTime(by: .seconds(1))
        #expect(place.lines == [Self.met, Self.over])
        place.loop.advanceTime(by: .hours(1))
        #expect(place.lines == [Self.met, Self.over])
    }

    @Test("A listener that stays more than half full has not seen the end of it; one that empties later has")
    func later() throws {
        let place = Place()
        let inside = try place.comeIn()
        place.leave(Array(inside[..<3]))
        place.loop.advanceTime(by: .seconds(60))
        #expect(place.lines == [Self.met])
        place.leave(Array(inside[3...]))
        place.loop.advanceTime(by: .seconds(1))
        #expect(place.lines == [Self.met, Self.over])
    }
}
