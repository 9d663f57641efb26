import Foundation
import Synchronization
import Testing

@testable import OstiaryMobile

@Suite("Events, spread to whoever listens", .timeLimit(.minutes(10)))
struct EventHubTests {
    /// Runs the jobs of a task one after the other, and does something first where one is handed to it: within whatever woke the task.
    private final class WatchedExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "watched")
        private let watcher = Mutex<(@Sendable () -> Void)?>(nil)

        func enqueue(_ job: consuming ExecutorJob) {
            watcher.withLock { $0 }?()
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            queue.async { job.runSynchronously(on: executor) }
        }

        func watch(_ watcher: @escaping @Sendable () -> Void) { self.watcher.withLock { $0 = watcher } }

        /// Returns when the task has come as far as it can without being woken.
        func settle() { queue.sync {} }
    }

    private static let sessions = (0..<800).map { _ in UUID() }

    private static func told(_ number: Int) -> OstiaryEvent { .sessionUpdate(Session(id: sessions[number])) }

    private static func number(_ event: OstiaryEvent) -> Int? {
        guard case .sessionUpdate(let session) = event else { return nil }
        return sessions.firstIndex(of: session.id)
    }

    // The runtime cancels a task under a lock of that task, and waking it waits for that lock. A cancelled reader of events is forgotten by the hub under
    // that lock; so a hub that wakes readers under a lock of its own stands still for ever when both happen at once, and the app's call with it.
    @Test("An event is handed over with nothing locked: whoever asks the hub meanwhile, as a cancelled reader does, is answered")
    func unlocked() async throws {
        let (hub, executor) = (EventHub(), WatchedExecutor())
        let isAnswered = Mutex<Bool?>(nil)
        let events = hub.subscribe()
        let reader = Task(executorPreference: executor) { for await _ in events { return } }
        executor.settle()
        executor.watch {
            let answered = DispatchSemaphore(value: 0)
            Thread {
                _ = hub.isHeard
                answered.signal()
            }.start()
            let isIn = answered.wait(timeout: .now() + 120) == .success
            isAnswered.withLock { $0 = $0 ?? isIn }
        }
        hub.emit(Self.told(1))
        await reader.value
        #expect(isAnswered.withLock { $0 } == true)
    }

    @Test("Whoever tells at the same time: all who listen hear the same order, every event once")
    func order() async throws {
        let hub = EventHub()
        let streams = (0..<3).map { _ in hub.subscribe(replaying: false) }
        await withTaskGroup { group in
            for part in 0..<8 { group.addTask { for number in 0..<100 { hub.emit(Self.told(part * 100 + number)) } } }
        }
        hub.finish()
        var heard: [[Int]] = []
        for stream in streams + [hub.deliveries] { heard.append(await stream.reduce(into: []) { $0.append(Self.number($1) ?? -1) }) }
        #expect(heard[0].sorted() == Array(0..<800))
        #expect(heard.allSatisfy { $0 == heard[0] })
    }

    @Test("The first who asks hears what was before, in order, and nobody who comes after the end waits")
    func beforeAndAfter() async throws {
        let hub = EventHub()
        for number in 0..<3 { hub.emit(Self.told(number)) }
        let first = hub.subscribe()
        hub.emit(Self.told(3))
        let second = hub.subscribe()
        hub.emit(Self.told(4))
        hub.finish()
        let late = hub.subscribe()
        var heard: [[Int?]] = []
        for stream in [first, second, late] { heard.append(await stream.reduce(into: []) { $0.append(Self.number($1)) }) }
        #expect(heard == [[0, 1, 2, 3, 4], [4], []])
    }
}
