import Authentication
import HTTPService
import Synchronization

/// What wakes an open stream: news, and the ticker for the next frames and for whatever no news came of.
enum PageSignal: Sendable {
    case news(SessionNews)
    case tick
}

/// The signals of one stream, from the moment it is made until the server drains or the value goes.
struct PageSignals: Sendable {
    /// Signals that a slow browser may have before the oldest is dropped; every one of them only says "look again".
    private static let backlog = 32

    let stream: AsyncStream<PageSignal>
    private let continuation: AsyncStream<PageSignal>.Continuation
    private let waking: PageTicker.Waking

    init(of topics: [EventTopic], events: any SessionEvents, ticker: PageTicker, drain: DrainSignal) {
        let (stream, continuation) = AsyncStream.makeStream(of: PageSignal.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        self.stream = stream
        self.continuation = continuation
        // Subscribed before this returns: whoever reads the store afterwards misses nothing.
        let news = events.subscribe(to: topics)
        let scans = ScanLimit()
        let telling = Task { for await item in news where scans.passes(item) { continuation.yield(.news(item)) } }
        let waking = ticker.wake {
            scans.rest()
            continuation.yield(.tick)
        }
        self.waking = waking
        let draining = Task {
            await drain.wait()
            // What had happened by then is told.
            telling.cancel()
            await telling.value
            continuation.finish()
        }
        continuation.onTermination = { _ in
            waking.end()
            telling.cancel()
            draining.cancel()
        }
    }

    /// Lets go of the subscription and the ticker.
    func end() {
        continuation.finish()
        // Also where the server had stopped before anybody was told of the end.
        waking.end()
    }
}

/// One scan between two ticks and no more. Anybody may look at a code, as often as they like; that must not make a page look into the store each
/// time, nor push other news out of the backlog.
private final class ScanLimit: Sendable {
    private let isSpent = Mutex(false)

    func passes(_ news: SessionNews) -> Bool {
        guard news.kind == .scanned else { return true }
        return isSpent.withLock { isSpent in
            defer { isSpent = true }
            return !isSpent
        }
    }

    func rest() { isSpent.withLock { $0 = false } }
}
