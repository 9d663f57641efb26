import HTTPService
import Logging
import OstiaryTesting
import Synchronization
import Testing

@Suite("Work beside the answers")
struct PeriodicTaskTests {
    private enum Fault: Error { case disk, network }

    @Test("A failure that goes on is one line, another one is another; the next round comes all the same, and a stop is no failure")
    func failures() async {
        let log = LogRecorder()
        let rounds = Mutex(0)
        let task = PeriodicTask(name: "keys", interval: .seconds(600), logger: log.logger()) {
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            switch round {
            case ...50: throw Fault.disk
            case ...100: throw Fault.network
            case 101: throw CancellationError()
            default: return
            }
        }
        for _ in 0..<110 { await task.round() }
        #expect(rounds.withLock { $0 } == 110)
        let lines = log.lines("background work failed")
        #expect(lines.map(\.facts) == [["work": "keys", "error": "disk"], ["work": "keys", "error": "network"]])
        #expect(lines.allSatisfy { $0.level == .warning } && log.lines.count == 2)
    }

    @Test("A failure is told with what is known of its reason, and counted without it: words that change are no news")
    func reasons() async {
        let log = LogRecorder()
        let asked = Mutex(0)
        let told: @Sendable (any Error) -> any Error = { _ in
            Reason(
                number: asked.withLock { asked in
                    asked += 1
                    return asked
                })
        }
        let task = PeriodicTask(name: "keys", interval: .seconds(600), logger: log.logger(), told: told) { throw Fault.network }
        for _ in 0..<5 { await task.round() }
        #expect(log.lines("background work failed").map(\.facts) == [["work": "keys", "error": "reason 1"]])
    }

    @Test("A line without a reason keeps none back that has it")
    func laterReason() async {
        let log = LogRecorder()
        let isKnown = Mutex(false)
        let told: @Sendable (any Error) -> any Error = { error in isKnown.withLock { $0 } ? Reason(number: 7) : error }
        let task = PeriodicTask(name: "keys", interval: .seconds(600), logger: log.logger(), told: told) { throw Fault.network }
        for isNow in [false, true] {
            isKnown.withLock { $0 = isNow }
            for _ in 0..<3 { await task.round() }
        }
        #expect(log.lines("background work failed").map(\.facts) == [["work": "keys", "error": "network"], ["work": "keys", "error": "reason 7"]])
    }

    private struct Reason: Error, CustomStringConvertible {
        let number: Int
        var description: String { "reason \(number)" }
    }

    @Test("Where rounds overlap, one that waits holds up none after it; a stop ends all of them", .timeLimit(.minutes(10)))
    func overlapping() async throws {
        let begun = Mutex(0)
        let (third, arrival) = AsyncStream.makeStream(of: Void.self)
        let task = PeriodicTask(name: "logouts", interval: .milliseconds(1), overlaps: true, logger: LogRecorder().logger()) {
            let round = begun.withLock { begun in
                begun += 1
                return begun
            }
            if round == 3 { arrival.finish() }
            // For as long as nobody stops it.
            if round < 3 { try await Task.sleep(for: .seconds(86_400)) }
        }
        let running = Task { try await task.run() }
        for await _ in third {}
        running.cancel()
        try await running.value
        #expect(begun.withLock { $0 } >= 3)
    }
}
