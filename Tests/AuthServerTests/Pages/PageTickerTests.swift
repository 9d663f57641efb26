import Authentication
import HTTPService
import OstiaryProtocol
import Synchronization
import Testing

@testable import AuthServer

@Suite("Ticker of the streams")
struct PageTickerTests {
    private final class Calls: Sendable {
        private let counts = Mutex([Int](repeating: 0, count: 7))

        var value: [Int] { counts.withLock(\.self) }

        func note(_ number: Int) { counts.withLock { $0[number] += 1 } }
    }

    @Test("Each stream is woken once in five ticks, and those that came at different ticks at different ones")
    func spreads() {
        let (ticker, calls) = (PageTicker(every: .seconds(3_600)), Calls())
        var wakings: [PageTicker.Waking] = []
        for number in 0..<7 {
            wakings.append(ticker.wake { calls.note(number) })
            ticker.tick()
        }
        // The first was woken by the fifth tick, the third by the seventh.
        #expect(calls.value == [1, 1, 1, 0, 0, 0, 0])
        ticker.tick()
        #expect(calls.value == [1, 1, 1, 1, 0, 0, 0])
        for _ in 0..<10 { ticker.tick() }
        #expect(calls.value == [3, 3, 3, 3, 2, 2, 2])
        for waking in wakings { waking.end() }
    }

    @Test("What has ended is woken no more, and ending twice ends nothing else")
    func ends() {
        let (ticker, calls) = (PageTicker(every: .seconds(3_600)), Calls())
        let (one, other) = (ticker.wake { calls.note(0) }, ticker.wake { calls.note(1) })
        one.end()
        one.end()
        #expect(ticker.count == 1)
        for _ in 0..<5 { ticker.tick() }
        #expect(calls.value[..<2] == [0, 1])
        other.end()
        #expect(ticker.count == 0)
    }

    @Test("A stream that ends gives its place at the ticker back, also when the server had stopped before it began")
    func isLeft() async throws {
        let (hub, ticker, topic) = (SessionEventHub(), PageTicker(every: .seconds(3_600)), EventTopic.stream(StreamID(using: SystemRandomSource())))
        for _ in 0..<100 {
            let drain = DrainSignal()
            drain.begin()
            let signals = PageSignals(of: [topic], events: hub, ticker: ticker, drain: drain)
            for await _ in signals.stream {}
            signals.end()
            #expect(ticker.count == 0)
        }
    }

    @Test("It goes on by itself, also after nobody was there for a while", .timeLimit(.minutes(10)))
    func goesOn() async {
        let ticker = PageTicker(every: .milliseconds(1))
        for _ in 0..<3 {
            let (woken, continuation) = AsyncStream.makeStream(of: Void.self)
            let waking = ticker.wake { continuation.yield() }
            for await _ in woken { break }
            waking.end()
            #expect(ticker.count == 0)
        }
    }
}
