import Logging
import Synchronization
import Testing

@testable import HTTPService

@Suite("What is said of limits")
struct LimitLogTests {
    /// A clock to turn, and the lines that were written.
    private final class Desk: Sendable {
        let time = Mutex(ContinuousClock.now)
        let lines = Mutex<[String]>([])

        func log() -> LimitLog {
            let logger = Logger(label: "test") { _ in Handler(desk: self) }
            return LimitLog(logger: logger, listener: "public") { self.time.withLock { $0 } }
        }

        func pass(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private struct Handler: LogHandler {
        let desk: Desk
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            desk.lines.withLock { $0.append("\(event.level) \(event.message) \(metadata["listener"] ?? "")") }
        }
    }

    @Test("A limit that is met a thousand times is one line, and one when it is over")
    func once() {
        let desk = Desk()
        let log = desk.log()
        log.over(.total)
        #expect(desk.all.isEmpty)
        for _ in 0..<1000 { log.met(.total) }
        #expect(desk.all == ["warning limit met: as many connections as there may be: new ones wait public"])
        for _ in 0..<1000 { log.over(.total) }
        #expect(desk.all.count == 2 && desk.all.last == "notice limit is over: as many connections as there may be public")
    }

    @Test("A limit at its edge is told once a minute at most, and each limit by itself")
    func edge() {
        let desk = Desk()
        let log = desk.log()
        for _ in 0..<600 {
            log.met(.peer)
            log.over(.peer)
            desk.pass(1)
        }
        #expect(desk.all.count == 20)
        log.met(.bodies)
        #expect(desk.all.count == 21)
    }
}
