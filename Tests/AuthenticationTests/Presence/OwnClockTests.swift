import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import Authentication

@Suite("A clock that ran ahead at one of several nodes")
struct OwnClockTests {
    @Test(
        "A22: what a node wrote ahead it brings back itself when its clock is right again, though another node works in the background and knows of nothing"
    )
    func ownClock() async throws {
        let world = try await DomainFixture()
        let phone = try await world.enrolledPhone()
        let watch = ClockWatch()
        let clock = watch.noting { world.now }
        let (own, other) = (housekeeping(of: world, watch), housekeeping(of: world, ClockWatch()))
        // Behind the two minutes in which a node knows nothing of the clock before its start.
        for _ in 0..<13 {
            world.pass(10)
            try await own.bringBack(at: world.now)
            try await other.run(at: world.now)
        }
        let right = world.now

        world.pass(600)
        try await phone.logIn()
        let ahead = clock()
        for seconds in stride(from: 10, through: 130, by: 10) as StrideThrough<UInt64> { try await other.run(at: right + seconds) }
        #expect(try await deadline(in: world) > ahead)

        for seconds in stride(from: 10, through: 130, by: 10) as StrideThrough<UInt64> { try await own.bringBack(at: right + seconds) }
        // 300 seconds without a ping, and fifteen more.
        #expect(try await deadline(in: world) <= right + 130 + 315)
    }

    private func housekeeping(of world: DomainFixture, _ watch: ClockWatch) -> Housekeeping {
        Housekeeping(store: world.store, events: world.hub, enrolments: world.enrolments, watch: watch)
    }

    private func deadline(in world: DomainFixture) async throws -> Instant {
        try #require(try await world.snapshot().sessions.values.compactMap { $0.login?.deadline }.max())
    }
}
