import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// Time that passes after a server gave an answer and before the phone opens it, and what the phone takes the server's clock for then (protocol §4).
@Suite("Answers that are long on their way", .timeLimit(.minutes(10)))
struct SlowAnswerTests {
    /// A phone whose person is logged in since ten seconds, and the session at its server.
    private func loggedIn() async throws -> (TestPhone, SessionID) {
        let phone = try await TestPhone.enrolled()
        _ = try await phone.logInByCode()
        let open = await phone.server.with { $0.sessions.first { $0.value.outcome != nil && $0.value.stop == nil }?.key }
        phone.clock.advance(10)
        return (phone, try #require(open))
    }

    /// - Parameters:
    ///   - nodes: by how much the clocks are ahead of those that hear the next pings.
    ///   - move: what becomes of the clock while the answer to the next ping is on its way.
    private func prepare(_ phone: TestPhone, nodes: [Int64], _ move: @escaping @Sendable (TestClock) -> Void) async {
        let clock = phone.clock
        await phone.server.with { server in
            server.mishaps.nodes[.ping] = nodes
            server.mishaps.spoiledAnswers[.ping] = [
                { bytes in
                    move(clock)
                    return TransportResponse(status: 200, body: bytes)
                }
            ]
        }
    }

    /// The last ping was stamped with the time that its server had.
    private func expectInTime(_ phone: TestPhone, _ sid: SessionID, taken: Int, heard: Int) async throws {
        let (now, pings) = await phone.server.with { server in (server.now, server.received.filter { $0 == .ping }.count) }
        let session = try #require(await phone.server.with { $0.sessions[sid] })
        #expect(session.lastStamp == now)
        #expect(session.pings == taken && session.stop == nil)
        #expect(pings == heard)
    }

    @Test("An answer that comes late makes no clock wrong: what follows bears the time of then", arguments: [6, 25, 110] as [UInt64])
    func late(_ seconds: UInt64) async throws {
        let (phone, sid) = try await loggedIn()
        await prepare(phone, nodes: []) { $0.advance(seconds) }
        for _ in 1...2 { _ = try await phone.ostiary.refresh() }
        try await expectInTime(phone, sid, taken: 2, heard: 2)
    }

    @Test("What was known of a server's clock stays known after an answer that comes late", arguments: [60, -60] as [Int64])
    func stays(_ ahead: Int64) async throws {
        let (phone, sid) = try await loggedIn()
        await prepare(phone, nodes: [ahead]) { _ in }
        _ = try await phone.ostiary.refresh()
        phone.clock.advance(100)
        await prepare(phone, nodes: []) { $0.advance(25) }
        for _ in 1...2 { _ = try await phone.ostiary.refresh() }
        try await expectInTime(phone, sid, taken: 3, heard: 3)
    }

    @Test("A clock that is wrong is found out by an answer that comes late, too: the next try is taken", arguments: [130, 3_600] as [Int64])
    func isFoundOut(_ ahead: Int64) async throws {
        let (phone, sid) = try await loggedIn()
        await prepare(phone, nodes: [ahead]) { $0.advance(25) }
        for _ in 1...2 { _ = try await phone.ostiary.refresh() }
        // CLOCK, the try after it, and the second ping.
        try await expectInTime(phone, sid, taken: 2, heard: 3)
    }

    @Test(
        "The phone's clock is set while an answer is on its way: no time passed, so the answer tells how far it is off now",
        arguments: [25, -25] as [Int64])
    func setMeanwhile(_ seconds: Int64) async throws {
        let (phone, sid) = try await loggedIn()
        // Both clocks are one in this double: the server's is put back to where it was.
        await prepare(phone, nodes: [0, -seconds]) { $0.setWall(by: seconds) }
        _ = try await phone.ostiary.refresh()
        phone.clock.advance(50)
        _ = try await phone.ostiary.refresh()
        try await expectInTime(phone, sid, taken: 2, heard: 2)
    }
}
