import OstiaryProtocol
import Synchronization
import Testing

@testable import Authentication

@Suite("The pace of housekeeping")
struct HousekeepingPaceTests {
    /// What is left, as whoever comes between two batches finds it.
    private struct Left: Equatable {
        let requests: Int
        let lines: Int
    }

    private static let kept: UInt64 = 100

    /// So many requests that nobody can send again, and so many lines of the audit trail that are kept no longer, a second later.
    private func world(requests: Int, lines: Int = 0) async throws -> (DomainFixture, Housekeeping) {
        let world = try await DomainFixture()
        let (server, end) = (world.server, world.now + Self.kept)
        try await world.store.write { rows in
            for number in 0..<requests {
                _ = try rows.spend(withUnsafeBytes(of: UInt64(number)) { Array($0) }, until: end)
            }
            for _ in 0..<lines { try rows.record(AuditEntry(.loginAccepted, server: server, by: .phone, at: end - Self.kept)) }
        }
        return (world, Housekeeping(store: world.store, events: world.hub, enrolments: world.enrolments, auditRetention: Self.kept))
    }

    private func left(in world: DomainFixture) async throws -> Left {
        let state = try await world.snapshot()
        return Left(requests: state.spent.count, lines: state.audit.count)
    }

    @Test("A run ends after fifty batches of a kind and says that there is more; the next one takes it and says that there is nothing")
    func run() async throws {
        let all = Housekeeping.batch * Housekeeping.rounds
        let (world, housekeeping) = try await world(requests: all + 1)
        let late = world.now + Self.kept + 1
        #expect(try await !housekeeping.run(at: late - 1))
        #expect(try await left(in: world).requests == all + 1)
        #expect(try await housekeeping.run(at: late))
        #expect(try await left(in: world).requests == 1)
        #expect(try await !housekeeping.run(at: late))
        #expect(try await left(in: world).requests == 0)
    }

    @Test("Kinds of which there is much take turns, and others get theirs after each batch")
    func turns() async throws {
        let (world, housekeeping) = try await world(requests: 450, lines: 450)
        let late = world.now + Self.kept + 1
        let before = try await left(in: world)
        let lines = before.lines
        // The fixture has written some by itself.
        #expect(before.requests == 450 && (450..<600).contains(lines))
        let seen = Mutex<[Left]>([])
        let isMore = try await housekeeping.run(at: late) {
            let now = try await left(in: world)
            seen.withLock { $0.append(now) }
            return true
        }
        #expect(!isMore)
        #expect(
            seen.withLock { $0 } == [
                Left(requests: 250, lines: lines), Left(requests: 250, lines: lines - 200), Left(requests: 50, lines: lines - 200),
                Left(requests: 50, lines: lines - 400),
            ])
        #expect(try await left(in: world) == Left(requests: 0, lines: 0))
    }

    @Test("Where it may not go on it ends after that batch, and asks for no other run")
    func ended() async throws {
        let (world, housekeeping) = try await world(requests: 1_000)
        #expect(try await !housekeeping.run(at: world.now + Self.kept + 1) { false })
        #expect(try await left(in: world).requests == 800)
    }

    @Test("Enrolments that ran out go on beyond one batch, as everything does")
    func enrolments() async throws {
        let world = try await DomainFixture()
        let (server, end) = (world.server, world.now + 600)
        try await world.store.write { rows in
            for number in 0..<450 {
                let bytes = withUnsafeBytes(of: (UInt64(number), UInt64(1))) { Array($0) }
                let (id, stream) = (try present(EnrolmentID(bytes)), try present(StreamID(bytes)))
                try rows.save(
                    Enrolment(
                        id: id, server: server, secretHash: SHA(bytes), nonceHash: SHA(bytes), stream: stream, userID: "alice", displayName: "Alice",
                        page: nil, expiresAt: end))
            }
        }
        let asked = Mutex(0)
        _ = try await world.housekeeping.run(at: end + 1) {
            asked.withLock { $0 += 1 }
            return true
        }
        #expect(try await world.store.read { rows in try rows.overdueEnrolments(at: end + 1, limit: 999) }.isEmpty)
        #expect(asked.withLock { $0 } == 2)
    }
}
