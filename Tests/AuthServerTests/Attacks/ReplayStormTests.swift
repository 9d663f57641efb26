import AuthServer
import Authentication
import HTTPTypes
import OstiaryProtocol
import OstiaryTestTraits
import OstiaryTesting
import Testing

@Suite("Attack 9: replay and reorder storm")
struct ReplayStormTests {
    /// The requests of a whole enrolment and a whole login, in order, as a thief on the wire would have them.
    private struct Recording {
        var requests: [(name: String, bytes: [UInt8])] = []

        mutating func send(_ name: String, _ request: SealedRequest, from phone: TestPhone) async throws -> Answer {
            requests.append((name, request.bytes))
            return try await phone.send(request)
        }
    }

    private static func record(_ servers: ServersFixture) async throws -> (Recording, SessionNonce) {
        var recording = Recording()
        let (enrolNonce, phone, ephemeral) = (try servers.nonce(), try await TestPhone(servers), try TestPhone.ephemeral())
        let link = try await servers.invite(enrolNonce)
        let e1 = try phone.seal(phone.raw.claim(link).encoded, ephemeral)
        let e2 = try await recording.send("E1", e1, from: phone)
        let enrolling = EnrollingPhone(
            phone: phone, claimed: try RawPhone.Claimed(ephemeral: ephemeral, requestHash: e1.hash, body: e2.body))
        let set = try enrolling.attempt()
        let (m1, asked) = try phone.m1(set)
        let m2 = try await recording.send("M1", try phone.seal(m1.bytes, ephemeral), from: phone)
        let inner = try asked.sealed.open(try M2(decoding: m2.body).sealed, from: phone.bundle.secondFactorKeys, clock: servers.now)
        let e3 = try enrolling.acceptance(set, try SecondFactorEvaluation(decoding: inner.body))
        _ = try await recording.send("E3", try phone.seal(e3.bytes, ephemeral), from: phone)
        try await servers.confirm(enrolNonce, enrolling.code)
        let account = enrolling.screen.accountID
        _ = try await recording.send("W1", try phone.sealFresh(W1(accountID: account, hold: 0)), from: phone)
        let nonce = try await logIn(servers, EnrolledPhone(phone: phone, account: account, enrolling: enrolling), &recording)
        return (recording, nonce)
    }

    private static func logIn(_ servers: ServersFixture, _ phone: EnrolledPhone, _ recording: inout Recording) async throws -> SessionNonce {
        let (nonce, ephemeral) = (try servers.nonce(), try TestPhone.ephemeral())
        let l1 = try phone.phone.seal(
            phone.phone.raw.looking(at: try await servers.link(nonce)).encoded, ephemeral)
        let l2 = try await recording.send("L1", l1, from: phone.phone)
        let shown = try ShownLogin(owner: phone, ephemeral, requestHash: l1.hash, answer: l2.body)
        let attempt = try shown.attempt()
        _ = try await recording.send("M1'", try phone.phone.seal(try phone.phone.m1(attempt).message.bytes, ephemeral), from: phone.phone)
        let l5 = try shown.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
        _ = try await recording.send("L5", try phone.phone.seal(l5.bytes, ephemeral), from: phone.phone)
        servers.clock.advance(1)
        _ = try await recording.send("Ping", try phone.phone.sealFresh(Ping(sessionID: shown.screen.sessionID, hold: 0)), from: phone.phone)
        _ = try await recording.send("Stop", try phone.phone.sealFresh(Stop(sessionID: shown.screen.sessionID, reason: .user)), from: phone.phone)
        return nonce
    }

    @Test("Every order of up to three recorded requests changes nothing, while the thing they did is over and while it is not", .onBothEngines)
    func permutations() async throws {
        try await ServersFixture.run { servers async throws in
            let (recording, nonce) = try await Self.record(servers)
            let before = try await servers.snapshot()
            let calls = servers.secondFactor.calls
            for order in Self.orders(of: recording.requests.indices) {
                for index in order { #expect(try await servers.post(recording.requests[index].bytes).status == .ok) }
            }
            #expect(try await servers.snapshot() == before)
            #expect(servers.secondFactor.calls == calls)
            #expect(try await servers.status(of: nonce) == .nobody)
        }
    }

    /// Every order of three different ones; of two on PostgreSQL.
    private static func orders(of indices: Range<Int>) -> [[Int]] {
        let pairs = indices.flatMap { first in indices.filter { $0 != first }.map { [first, $0] } }
        guard DatabaseEngine.current == .sqlite else { return pairs }
        return pairs.flatMap { pair in indices.filter { !pair.contains($0) }.map { pair + [$0] } }
    }

    @Test("A replayed request is answered REPLAYED, to nobody but its sender, and after the window CLOCK", .onBothEngines)
    func answers() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let session = try #require(try await phone.logInApp().sessionID)
            servers.clock.advance(1)
            let request = try phone.phone.sealFresh(Ping(sessionID: session, hold: 0))
            #expect(try await phone.phone.send(request).status == .ok)
            #expect(try await phone.phone.send(request).status == .replayed)
            servers.clock.advance(121)
            let late = try await phone.phone.send(request)
            #expect(late.status == .clock && late.time == servers.now)
            servers.clock.advance(600)
            try await servers.services.housekeeping.run(at: servers.now)
            #expect(try await phone.phone.send(request).status == .clock)
        }
    }

    @Test("The parts of one login are no good in another, whichever phone sends them")
    func splices() async throws {
        try await ServersFixture.run { servers async throws in
            let phone = try await TestPhone(servers).enrol(try servers.nonce())
            let (first, second) = (try servers.nonce(), try servers.nonce())
            let mine = try await phone.scan(try await servers.link(first))
            let other = try await phone.scan(try await servers.link(second))
            let attempt = try mine.attempt()
            #expect(try await phone.phone.evaluate(attempt).status == .ok)
            let decision = try mine.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            let m1 = try phone.phone.m1(attempt).message
            for ephemeral in [other.ephemeral, try TestPhone.ephemeral()] {
                #expect(try await phone.phone.send(decision.bytes, ephemeral).status == .refused)
                #expect(try await phone.phone.send(m1.bytes, ephemeral).status == .refused)
            }
            let spliced = try other.decision(attempt: attempt.id, method: .pin, proof: try phone.phone.prove(attempt))
            #expect(await servers.refusal { try await other.send(spliced) } == .refused)
            #expect(try await servers.status(of: second).loggedIn == false)
            #expect(try await mine.send(decision).result == .loggedIn)
        }
    }
}
