import Database
import HTTPService
import OstiaryProtocol
import OstiaryTesting
import Synchronization
import Testing

@testable import AuthServer

@Suite("Work in batches under a lease", .timeLimit(.minutes(5)))
struct LeasedBatchesTests {
    private static let start = Instant(1_000)

    /// No rest takes any time.
    private static let restless: @Sendable () -> BatchPace = { BatchPace(elapsed: { .zero }, sleep: { _ in }) }

    /// Lends the leases of two nodes on one database, on which others can be.
    private func run(_ body: @Sendable (_ own: Lease, _ other: Lease) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let databases = try (0..<2).map { _ in try SQLiteDatabase.open(path: folder.file("leases.sqlite"), ownership: .shared, readers: 1) }
        try await databases[0].migrate([Migration(1, "leases") { Lease.tables($0) }])
        let leases = zip(databases, [1, 2] as [UInt8]).map { $0.lease("work", for: 60, holder: [UInt8](repeating: $1, count: 16)) }
        try await body(leases[0], leases[1])
        for database in databases { try await database.close() }
    }

    @Test("While there is more the next run follows at once, by the clock of then")
    func more() async throws {
        try await run { own, _ in
            let (clock, log) = (TestClock(Self.start), LogRecorder())
            let moments = Mutex<[Instant]>([])
            let leased = LeasedWork(lease: own, logger: log.logger()) { clock.now }
            let task = leased.batches("work", every: .seconds(600), pace: Self.restless) { now, _ in
                clock.advance(7)
                return moments.withLock { moments in
                    moments.append(now)
                    return moments.count < 4
                }
            }
            await task.round()
            #expect(moments.withLock { $0 } == [0, 7, 14, 21].map { Self.start + $0 })
            #expect(log.lines.isEmpty)
        }
    }

    @Test("Work that goes on for longer than a lease lives keeps it, asking between its batches")
    func kept() async throws {
        try await run { own, other in
            let clock = TestClock(Self.start)
            let batches = Mutex(0)
            let leased = LeasedWork(lease: own, logger: LogRecorder().logger()) { clock.now }
            let task = leased.batches("work", every: .seconds(600), pace: Self.restless) { _, mayGoOn in
                for _ in 0..<30 {
                    clock.advance(20)
                    let isOurs = try await mayGoOn()
                    let isTheirs = try await other.isHeld(at: clock.now.seconds)
                    #expect(isOurs && !isTheirs)
                    batches.withLock { $0 += 1 }
                }
                return false
            }
            await task.round()
            #expect(batches.withLock { $0 } == 30)
        }
    }

    @Test("A node that may not hold it any more ends between two batches and renews nothing, so that another takes it; then it waits for its turn")
    func mayNotHold() async throws {
        try await run { own, other in
            let clock = TestClock(Self.start)
            let mayHold = Mutex(true)
            let runs = Mutex(0)
            let leased = LeasedWork(lease: own, logger: LogRecorder().logger(), clock: { clock.now }, mayHold: { _ in mayHold.withLock { $0 } })
            let task = leased.batches("work", every: .seconds(600), pace: Self.restless) { _, mayGoOn in
                runs.withLock { $0 += 1 }
                mayHold.withLock { $0 = false }
                let goesOn = try await mayGoOn()
                #expect(!goesOn)
                return false
            }
            await task.round()
            for _ in 0..<4 {
                let isTheirs = try await other.isHeld(at: clock.now.seconds)
                #expect(!isTheirs)
                clock.advance(15)
                await task.round()
            }
            let isTheirs = try await other.isHeld(at: clock.now.seconds)
            #expect(isTheirs)
            mayHold.withLock { $0 = true }
            await task.round()
            #expect(runs.withLock { $0 } == 1)
        }
    }

    @Test("A node that was halted between two batches, and whose lease another has taken, ends there; so do its next rounds")
    func lost() async throws {
        try await run { own, other in
            let clock = TestClock(Self.start)
            let answers = Mutex<[Bool]>([])
            let leased = LeasedWork(lease: own, logger: LogRecorder().logger()) { clock.now }
            let task = leased.batches("work", every: .seconds(600), pace: Self.restless) { _, mayGoOn in
                for _ in 0..<4 {
                    let isTheirs = try await other.isHeld(at: clock.now.seconds)
                    #expect(!isTheirs)
                    clock.advance(15)
                }
                let isTheirs = try await other.isHeld(at: clock.now.seconds)
                #expect(isTheirs)
                let answer = try await mayGoOn()
                answers.withLock { $0.append(answer) }
                return answer
            }
            for _ in 0..<2 { await task.round() }
            #expect(answers.withLock { $0 } == [false])
        }
    }

    @Test("A stop ends the work in the rest after its batch, and is no failure")
    func stopped() async throws {
        try await run { own, _ in
            let (clock, log) = (TestClock(Self.start), LogRecorder())
            let (resting, arrival) = AsyncStream.makeStream(of: Void.self)
            let pace = { @Sendable in
                BatchPace(
                    elapsed: { .zero },
                    sleep: { _ in
                        arrival.finish()
                        // For as long as nobody stops it.
                        try await Task.sleep(for: .seconds(86_400))
                    })
            }
            let batches = Mutex(0)
            let leased = LeasedWork(lease: own, logger: log.logger()) { clock.now }
            let task = leased.batches("work", every: .seconds(600), pace: pace) { _, mayGoOn in
                batches.withLock { $0 += 1 }
                return try await mayGoOn()
            }
            let running = Task { try await task.run() }
            for await _ in resting {}
            running.cancel()
            try await running.value
            #expect(batches.withLock { $0 } == 1 && log.lines.isEmpty)
        }
    }
}
