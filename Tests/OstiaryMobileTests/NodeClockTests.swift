import OstiaryProtocol
import OstiaryTesting
import Testing

@testable import OstiaryMobile

/// Nodes behind one address whose clocks differ, and the time stamps of what a phone says to them about a session (protocol §8).
@Suite("Nodes whose clocks differ", .timeLimit(.minutes(10)))
struct NodeClockTests {
    private static let leaps: [Int64] = [130, 3_600, 864_000]

    private func pings(_ phone: TestPhone) async -> Int { await phone.server.with { $0.received.filter { $0 == .ping }.count } }

    /// A phone whose person is logged in since ten seconds, and the session at its server.
    private func loggedIn() async throws -> (TestPhone, Session, SessionID) {
        let phone = try await TestPhone.enrolled()
        let session = try await phone.logInByCode()
        let open = await phone.server.with { $0.sessions.first { $0.value.outcome != nil && $0.value.stop == nil }?.key }
        phone.clock.advance(10)
        return (phone, session, try #require(open))
    }

    private func standing(_ sid: SessionID, _ phone: TestPhone) async throws -> TestServer.LoginSession {
        try #require(await phone.server.with { $0.sessions[sid] })
    }

    @Test(
        "A ping that a node whose clock leapt and a right one both refuse leaves no stamp: those after it go by the right time, and the person logs out",
        arguments: leaps)
    func refusedByBoth(_ seconds: Int64) async throws {
        let (phone, session, sid) = try await loggedIn()
        await phone.server.with { $0.mishaps.nodes[.ping] = [seconds, 0] }
        _ = try await phone.ostiary.refresh()
        // What failed is said again at once. The phone has heard the answer when it waits for its next time; before that no time may pass here.
        try await waiting(while: phone.clock.sleeping == 0)
        #expect(await pings(phone) == 3)
        #expect(try await standing(sid, phone).lastStamp == phone.clock.now)
        phone.clock.advance(25)
        _ = try await phone.ostiary.refresh()
        let later = try await standing(sid, phone)
        #expect(later.lastStamp == phone.clock.now)
        #expect(later.pings == 2)
        #expect(later.stop == nil)
        try await phone.ostiary.end(session)
        #expect(try await standing(sid, phone).stop == .user)
    }

    @Test("A ping that a node took whose clock leapt does not keep the person logged in: right nodes take the Stop", arguments: leaps)
    func takenByWrong(_ seconds: Int64) async throws {
        let (phone, session, sid) = try await loggedIn()
        await phone.server.with { server in
            server.mishaps.nodes[.ping] = [seconds, seconds]
            server.mishaps.nodes[.stop] = [0, 0]
        }
        _ = try await phone.ostiary.refresh()
        #expect(try await standing(sid, phone).lastStamp == phone.clock.now + UInt64(seconds))
        try await phone.ostiary.end(session)
        #expect(try await standing(sid, phone).stop == .user)
    }

    /// What a phone gets in the place of the answer to a ping that its server took.
    enum Loss: CaseIterable, Sendable {
        case nothing
        /// A true refusal of the clock, which answered an earlier ping.
        case earlierRefusal
        /// The empty 400 and the 409 of a request that was not opened, which anybody can send.
        case unopened, otherPrekey
    }

    @Test(
        "A ping whose answer is lost, or that anybody on the way says was refused, may have been taken: what follows bears a later time, though the clock was set back",
        arguments: Loss.allCases)
    func lostAnswer(_ loss: Loss) async throws {
        let (phone, session, sid) = try await loggedIn()
        let (kept, clock, arrivals) = (Kept(), phone.clock, Seen())
        await phone.server.with { server in
            server.mishaps.statuses[.ping] = [.clock]
            server.mishaps.spoiledAnswers[.ping] = [{ TransportResponse(status: 200, body: kept.first($0)) }]
        }
        _ = try await phone.ostiary.refresh()
        #expect(try await standing(sid, phone).pings == 1)
        clock.advance(30)
        await phone.server.with { server in
            let bundle = server.bundle.bytes
            server.received = []
            server.mishaps.spoiledAnswers[.ping] = [
                { bytes in
                    switch loss {
                    case .nothing: TransportResponse(status: 404, body: [])
                    case .earlierRefusal: TransportResponse(status: 200, body: kept.first(bytes))
                    case .unopened: TransportResponse(status: 400, body: [])
                    case .otherPrekey: TransportResponse(status: 409, body: bundle)
                    }
                }
            ]
            server.onMessage = { type in
                guard type == .ping else { return }
                if arrivals.values.isEmpty { clock.setBack(20) }
                arrivals.note(true)
            }
        }
        _ = try await phone.ostiary.refresh()
        try await waiting(while: await pings(phone) < 2)
        let later = try await standing(sid, phone)
        #expect(later.stop == nil, "the double ends a session whose stamp does not rise")
        #expect(later.pings == 3 && later.lastStamp > clock.now)
        try await phone.ostiary.end(session)
        #expect(try await standing(sid, phone).stop == .user)
    }
}
