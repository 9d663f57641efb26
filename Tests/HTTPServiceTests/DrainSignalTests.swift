import HTTPService
import Testing

@Suite("Drain signal")
struct DrainSignalTests {
    @Test("Those who wait are told when the drain begins, and those who come later at once")
    func wakes() async {
        let drain = DrainSignal()
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { await drain.wait() } }
            group.addTask { drain.begin() }
        }
        #expect(drain.isDraining)
        await drain.wait()
    }

    @Test("A cancelled waiter returns and the others go on")
    func cancellation() async {
        let drain = DrainSignal()
        let waiter = Task { await drain.wait() }
        waiter.cancel()
        await waiter.value
        #expect(!drain.isDraining)
    }

    @Test("A wait ends with what is waited for, with its time, or with the drain, whichever comes first; what still waits is cancelled")
    func waitsAtMost() async {
        let drain = DrainSignal()
        let never: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(3600)) }
        await drain.wait(for: {}, atMost: .seconds(3600))
        await drain.wait(for: never, atMost: .zero)
        async let ended: Void = drain.wait(for: never, atMost: .seconds(3600))
        drain.begin()
        await ended
    }

    @Test("An operation gives its value, or nil once the drain begins")
    func value() async throws {
        let drain = DrainSignal()
        #expect(try await drain.value { 7 } == 7)
        async let slow = drain.value { try await Task.sleep(for: .seconds(3600)) }
        drain.begin()
        #expect(try await slow == nil)
    }

    @Test("An operation's error comes through")
    func error() async {
        await #expect(throws: CancellationError.self) { try await DrainSignal().value { throw CancellationError() } }
    }
}
