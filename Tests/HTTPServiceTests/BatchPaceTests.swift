import HTTPService
import Synchronization
import Testing

@Suite("Work in batches leaves the database to others", .timeLimit(.minutes(5)))
struct BatchPaceTests {
    /// A clock that the test moves, on which a rest takes its time.
    private final class Time: Sendable {
        private struct State {
            var now = Duration.zero
            var rests: [Duration] = []
        }

        private let state = Mutex(State())

        /// Those since this was asked last.
        func rests() -> [Duration] {
            state.withLock { state in
                defer { state.rests = [] }
                return state.rests
            }
        }

        func pass(_ milliseconds: Int) { state.withLock { $0.now += .milliseconds(milliseconds) } }

        func pace() -> BatchPace {
            BatchPace(
                elapsed: { self.state.withLock { $0.now } },
                sleep: { rest in
                    self.state.withLock { state in
                        state.now += rest
                        state.rests.append(rest)
                    }
                })
        }
    }

    private static func milliseconds(_ numbers: Int...) -> [Duration] { numbers.map { .milliseconds($0) } }

    @Test("A rest is as long as the batch before it, whatever the one before that took, and never longer than 25 ms")
    func rests() async throws {
        let time = Time()
        time.pass(1_000)
        let pace = time.pace()
        for took in [4, 11, 300, 0, 6] {
            time.pass(took)
            try await pace.rest()
        }
        #expect(time.rests() == Self.milliseconds(4, 11, 25, 0, 6))
    }

    @Test("The longer there is more to be done, the shorter the rests; none of them is left out")
    func hurry() async throws {
        let time = Time()
        let pace = time.pace()
        for took in [12, 400, 12, 12] {
            time.pass(took)
            try await pace.rest()
            pace.hurry()
        }
        #expect(time.rests() == Self.milliseconds(12) + [.milliseconds(25) / 2] + Self.milliseconds(4, 3))
    }

    @Test("Where the server stops no rest begins, and no batch after it")
    func stopped() async throws {
        let time = Time()
        let pace = time.pace()
        let (stop, stopping) = AsyncStream.makeStream(of: Void.self)
        let stopped = Task {
            for await _ in stop {}
            try await pace.rest()
        }
        stopped.cancel()
        stopping.finish()
        await #expect(throws: CancellationError.self) { try await stopped.value }
        #expect(time.rests().isEmpty)
    }
}
