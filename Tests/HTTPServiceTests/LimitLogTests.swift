import OstiaryTesting
import Synchronization
import Testing

@testable import HTTPService

@Suite("What is said of limits")
struct LimitLogTests {
    /// A clock to turn, and the lines that were written.
    private final class Desk: Sendable {
        private let time = Mutex(ContinuousClock.now)
        private let recorder = LogRecorder()

        func log() -> LimitLog { LimitLog(logger: recorder.logger(), listener: "public") { self.time.withLock { $0 } } }

        func pass(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
        var all: [String] { recorder.lines.map { "\($0.level) \($0.message) \($0.facts["listener"] ?? "")" } }
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
