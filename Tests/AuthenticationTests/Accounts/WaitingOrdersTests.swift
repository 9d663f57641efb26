import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import Authentication

@Suite("Closes and leaves that wait for the second-factor server", .timeLimit(.minutes(10)))
struct WaitingOrdersTests {
    /// A server that has to send so many of each.
    private func waiting(closes: Int, leaves: Int) async throws -> DomainFixture {
        let world = try await DomainFixture()
        let (server, now, random) = (world.server, world.now, SeededRandom("orders"))
        let closed = (0..<closes).map { _ in PendingClose(instance: InstanceID(using: random), server: server, retry: RetrySchedule(from: now)) }
        let left = (0..<leaves).map { _ in
            PendingLeave(
                deviceKey: random.bytes(DevicePublicKey.count), instance: InstanceID(using: random), server: server, retry: RetrySchedule(from: now))
        }
        try await world.store.write { rows in
            for close in closed { try rows.queue(close) }
            for leave in left { try rows.queue(leave) }
        }
        return world
    }

    /// One by one, as they were sent, the first waited until its test was over.
    @Test("One whose answer is long in coming holds up no other, be it a Close or a Leave", arguments: [(6, 0), (0, 6), (3, 3)])
    func oneIsSlow(closes: Int, leaves: Int) async throws {
        let world = try await waiting(closes: closes, leaves: leaves)
        let come = Mutex(0)
        let others = AsyncStream<Void>.makeStream()
        world.secondFactor.set {
            $0.pause = { _ in
                let number = come.withLock { come in
                    come += 1
                    return come
                }
                if number == 1 { for await _ in others.stream {} }
                if number == 6 { others.continuation.finish() }
            }
        }
        #expect(try await world.closes.run(at: world.now) == 6)
        #expect(come.withLock { $0 } == 6)
    }

    @Test("However many are due, four are under way at once, and each is sent once")
    func manyAreDue() async throws {
        let world = try await waiting(closes: 12, leaves: 12)
        let underway = Mutex(0)
        let most = Mutex(0)
        world.secondFactor.set {
            $0.pause = { _ in
                let count = underway.withLock { underway in
                    underway += 1
                    return underway
                }
                most.withLock { $0 = max($0, count) }
                for _ in 0..<5 { await Task.yield() }
                underway.withLock { $0 -= 1 }
            }
        }
        #expect(try await world.closes.run(at: world.now) == 24)
        #expect(most.withLock { $0 } <= 4)
        #expect(world.secondFactor.heard.filter { $0 == .close }.count == 12 && world.secondFactor.heard.count == 24)
    }

    /// It counted as one, and was put off.
    @Test("What a server gives up itself, because it stops, is no try in vain: the next start sends it at once")
    func stopping() async throws {
        let world = try await waiting(closes: 1, leaves: 1)
        let begun = AsyncStream<Void>.makeStream()
        let come = Mutex(0)
        world.secondFactor.set {
            $0.isDown = true
            $0.pause = { _ in
                let number = come.withLock { come in
                    come += 1
                    return come
                }
                if number == 1 { begun.continuation.finish() }
                while !Task.isCancelled { await Task.yield() }
            }
        }
        let run = Task { try await world.closes.run(at: world.now) }
        for await _ in begun.stream {}
        run.cancel()
        await #expect(throws: CancellationError.self) { _ = try await run.value }
        let state = try await world.snapshot()
        #expect(state.closes.values.map(\.retry.attempts) == [0] && state.leaves.values.map(\.retry.attempts) == [0])
    }

    @Test("What waits for ten minutes is told, with since when, until it is confirmed", arguments: [(1, 0), (0, 1)])
    func overdue(closes: Int, leaves: Int) async throws {
        let world = try await waiting(closes: closes, leaves: leaves)
        let since = world.now
        world.secondFactor.set { $0.isDown = true }
        #expect(try await world.closes.run(at: world.now) == 0)
        world.pass(599)
        #expect(try await world.closes.overdue(at: world.now) == nil)
        world.pass(1)
        #expect(try await world.closes.run(at: world.now) == 0)
        #expect(try await world.closes.overdue(at: world.now) == since, "trying again is not younger")
        world.secondFactor.set { $0.isDown = false }
        world.pass(3_600)
        #expect(try await world.closes.run(at: world.now) == 1)
        #expect(try await world.closes.overdue(at: world.now) == nil)
    }
}
