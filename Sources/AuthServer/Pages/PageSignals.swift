import Authentication
import HTTPService
import Synchronization

/// What wakes an open stream: news, and the ticker for the next frames and for whatever no news came of.
enum PageSignal: Sendable {
    case news(SessionNews)
    case tick
    /// The last one: the place of the stream went to a newer one.
    case displaced
}

/// The signals of one stream, from the moment it is made until the server drains, the browser leaves, the place is lost or the value goes.
struct PageSignals: Sendable {
    /// Signals that a slow browser may have before the oldest is dropped; every one of them only says "look again".
    private static let backlog = 32

    let stream: AsyncStream<PageSignal>
    private let continuation: AsyncStream<PageSignal>.Continuation
    private let waking: PageTicker.Waking

    /// - Parameter otherEnd: of the connection that they are for; nil where there is none.
    init(of topics: [EventTopic], events: any SessionEvents, ticker: PageTicker, drain: DrainSignal, otherEnd: OtherEnd? = nil) {
        let (stream, continuation) = AsyncStream.makeStream(of: PageSignal.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        self.stream = stream
        self.continuation = continuation
        // Subscribed before this returns: whoever reads the store afterwards misses nothing.
        let news = events.subscribe(to: topics)
        let scans = ScanLimit()
        let waking = ticker.wake {
            scans.rest()
            continuation.yield(.tick)
        }
        self.waking = waking
        let tasks = TasksOfStream()
        // Before there is anything that could end the stream: nobody is told of an end that was before.
        continuation.onTermination = { _ in
            waking.end()
            tasks.cancel()
        }
        let telling = Task { for await item in news where scans.passes(item) { continuation.yield(.news(item)) } }
        tasks.add(telling)
        let draining = Task {
            await drain.wait()
            // What had happened by then is told.
            telling.cancel()
            await telling.value
            continuation.finish()
        }
        tasks.add(draining)
        guard let otherEnd else { return }
        let leaving = Task {
            await otherEnd.leaves()
            continuation.finish()
        }
        tasks.add(leaving)
    }

    /// The stream ends for a newer one: what had happened by then is told, and that.
    func giveWay() {
        continuation.yield(.displaced)
        continuation.finish()
    }

    /// Lets go of the subscription and the ticker.
    func end() {
        continuation.finish()
        // Also where the server had stopped before anybody was told of the end.
        waking.end()
    }
}

/// What is under way for one stream, and ends with it, also what begins when that is over.
private final class TasksOfStream: Sendable {
    private struct State {
        var tasks: [Task<Void, Never>] = []
        var isOver = false
    }

    private let state = Mutex(State())

    func add(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.tasks.append(task) }
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    func cancel() {
        let tasks = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.tasks
        }
        for task in tasks { task.cancel() }
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
